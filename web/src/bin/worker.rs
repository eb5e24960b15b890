//! The worker's entry. Not for what it does: that is `schedlab_web::worker`.

fn main() {
    schedlab_web::worker::serve();
}
