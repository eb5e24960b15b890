//! What a person waits for: a browser, video and sound.

use super::super::build::*;
use super::super::parameter::Parameter;
use super::super::recipe::Recipe;

pub(super) const BROWSER: Recipe = Recipe {
    name: "browser",
    title: "A browser",
    text: "The compositor wakes 60 times a second and asks the main thread for a frame; the main thread runs scripts and \
           layout, hands tiles to a pool of raster threads, and waits for them; the compositor then puts the frame \
           together. A frame is an operation, from the compositor's wake-up to its end; one that is not done when the \
           next is due is a missed deadline. Network and timers wake the main thread in between. Hogs beside it, if wanted.",
    own: &[
        Parameter::number("rasters", "raster threads", (1, 64), "", "4"),
        Parameter::number("script", "script and layout of a frame, median", (1, 100_000), "µs", "3000"),
        Parameter::number("hogs", "hogs beside it", (0, 4096), "", "0"),
    ],
    make: |values, scenario| {
        let rasters = values.count("rasters");
        let frame = operation("frame", [run(200), post("begin frame"), wait("frame ready"), run(800)]);
        let compositor = std::iter::once(timer(16_667)).chain(frame).collect();
        let mut main = vec![wait("begin frame"), run_about(values.number("script"), 0.5)];
        main.extend((0..rasters).map(|_| post("tile")));
        main.extend((0..rasters).map(|_| wait("tile ready")));
        main.extend([run(300), post("frame ready")]);
        let raster = vec![wait("tile"), run_about(1_500, 0.4), post("tile ready")];
        let network = vec![sleep_about(4_000), run_about(150, 0.5)];
        scenario.workload.tasks = vec![
            task("compositor", 1, compositor),
            task("main", 1, main),
            task("raster", rasters, raster),
            task("network", 2, network),
        ];
        if values.count("hogs") > 0 {
            scenario.workload.tasks.push(task("hog", values.count("hogs"), vec![run(10_000)]));
        }
    },
};

pub(super) const VIDEO: Recipe = Recipe {
    name: "video",
    title: "A video player",
    text: "A frame goes from the reader through the decoder's threads to the display, 60 a second; sound is mixed every \
           5 ms. Operations are a frame (from its due time to its display) and a buffer of sound; one that is not done when the \
           next is due counts as a missed deadline: the frame is shown too late, the sound crackles. Modelled are these threads and the queues between them; hogs stand for what \
           else the machine does.",
    own: &[
        Parameter::number("decode", "decoding of a frame, median", (1, 100_000), "µs", "5000"),
        Parameter::number("slices", "decoder threads, which share a frame", (1, 32), "", "2"),
        Parameter::load("hogs", "hogs beside it", 4096, "100%"),
    ],
    make: |values, scenario| {
        let slices = values.count("slices");
        let mut frame = vec![run(300)];
        frame.extend((0..slices).map(|_| post("packet")));
        frame.extend((0..slices).map(|_| wait("picture")));
        frame.push(run(400));
        let player = std::iter::once(timer(16_667)).chain(operation("frame", frame)).collect();
        let decode_us = (values.number("decode") / u64::from(slices)).max(1);
        let decoder = vec![wait("packet"), run_about(decode_us, 0.3), post("picture")];
        let mixer = std::iter::once(timer(5_000)).chain(operation("sound", [run(250)])).collect();
        scenario.workload.tasks = vec![
            task("player", 1, player),
            task("decoder", slices, decoder),
            task("mixer", 1, mixer),
            task("hog", values.load("hogs", cpus(scenario)), vec![run(10_000)]),
        ];
    },
};
