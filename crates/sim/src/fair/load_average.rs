//! Load averages (PELT, §5.0): geometric sums over periods of about a millisecond, of one task or of
//! all fair tasks of a CPU. Not for when they are brought up to date: `signals` does that.

/// A period, in units of 1024 ns.
const PERIOD: u64 = 1024;
/// The largest sum of a signal of 1.
const MOST_SUM: u64 = 47_742;
/// What an average is divided by, beside the present partial period.
pub(super) const LEAST_DIVIDER: u64 = MOST_SUM - PERIOD;
/// Periods after which a signal has halved.
const HALF_LIFE: u64 = 32;

/// y^n in 32 bits after the point, with y^32 = 1/2.
const DECAY: [u32; HALF_LIFE as usize] = [
    0xffff_ffff,
    0xfa83_b2da,
    0xf525_7d14,
    0xefe4_b99a,
    0xeac0_c6e6,
    0xe5b9_06e6,
    0xe0cc_deeb,
    0xdbfb_b796,
    0xd744_fcc9,
    0xd2a8_1d91,
    0xce24_8c14,
    0xc9b9_bd85,
    0xc567_2a10,
    0xc12c_4cc9,
    0xbd08_a39e,
    0xb8fb_af46,
    0xb504_f333,
    0xb123_f581,
    0xad58_3ee9,
    0xa9a1_5ab4,
    0xa5fe_d6a9,
    0xa270_4302,
    0x9ef5_325f,
    0x9b8d_39b9,
    0x9837_f050,
    0x94f4_efa8,
    0x91c3_d373,
    0x8ea4_398a,
    0x8b95_c1e3,
    0x8898_0e80,
    0x85aa_c367,
    0x82cd_8698,
];

/// A sum after that many periods.
fn decay(sum: u64, periods: u64) -> u64 {
    if periods > HALF_LIFE * 63 {
        return 0;
    }
    let sum = sum >> (periods / HALF_LIFE);
    ((u128::from(sum) * u128::from(DECAY[(periods % HALF_LIFE) as usize])) >> 32) as u64
}

/// The load, runnable and utilisation signals of a task or of a CPU's root queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoadAverage {
    /// Up to when it is up to date, nanoseconds; 0: a task that counts on no CPU.
    pub last: u64,
    partial: u64,
    load_sum: u64,
    runnable_sum: u64,
    util_sum: u64,
    pub load: u64,
    pub runnable: u64,
    pub util: u64,
}

impl LoadAverage {
    /// Adds the time up to `now`, in which load, runnable and running were as given. Whether a
    /// period has ended, so that averages are due.
    fn add_time(&mut self, now: u64, load: u64, runnable: u64, running: bool) -> bool {
        let Some(elapsed) = now.checked_sub(self.last) else {
            self.last = now;
            return false;
        };
        let units = elapsed >> 10;
        if units == 0 {
            return false;
        }
        self.last += units << 10;
        let (runnable, running) = if load == 0 { (0, false) } else { (runnable, running) };
        let total = units + self.partial;
        let periods = total / PERIOD;
        let mut contribution = units;
        if periods > 0 {
            for sum in [&mut self.load_sum, &mut self.runnable_sum, &mut self.util_sum] {
                *sum = decay(*sum, periods);
            }
            contribution =
                decay(PERIOD - self.partial, periods) + (MOST_SUM - decay(MOST_SUM, periods) - PERIOD) + total % PERIOD;
        }
        self.partial = total % PERIOD;
        self.load_sum += load * contribution;
        self.runnable_sum += (runnable * contribution) << 10;
        self.util_sum += if running { contribution << 10 } else { 0 };
        periods > 0
    }

    const fn divider(&self) -> u64 {
        LEAST_DIVIDER + self.partial
    }

    const fn average(&mut self, weight: u64) {
        let divider = self.divider();
        self.load = weight * self.load_sum / divider;
        self.runnable = self.runnable_sum / divider;
        self.util = self.util_sum / divider;
    }

    /// Brings a task of unscaled weight `weight` up to date; whether a period has ended.
    pub fn update_task(&mut self, now: u64, weight: u64, queued: bool, runnable: bool, running: bool) -> bool {
        let due = self.add_time(now, u64::from(queued), u64::from(runnable), running);
        if due {
            self.average(weight);
        }
        due
    }

    /// Brings a queue up to date: its unscaled weight, its runnable tasks.
    pub fn update_queue(&mut self, now: u64, weight: u64, runnable: u64, running: bool) {
        if self.add_time(now, weight, runnable, running) {
            self.average(1);
        }
    }

    /// What a new task starts with.
    pub const fn new_task(weight: u64, util: u64) -> Self {
        Self { last: 0, partial: 0, load_sum: 0, runnable_sum: 0, util_sum: 0, load: weight, runnable: util, util }
    }

    /// A task comes to a queue: its sums take the queue's phase, and the queue counts them.
    pub fn attach(&mut self, task: &mut Self, weight: u64) {
        let divider = self.divider();
        task.last = self.last;
        task.partial = self.partial;
        task.util_sum = task.util * divider;
        task.runnable_sum = task.runnable * divider;
        let load = task.load * divider;
        task.load_sum = if weight < load { load / weight.max(1) } else { 1 };
        self.load += task.load;
        self.load_sum += weight * task.load_sum;
        self.util += task.util;
        self.util_sum += task.util_sum;
        self.runnable += task.runnable;
        self.runnable_sum += task.runnable_sum;
    }

    /// A task leaves a queue at once.
    pub fn detach(&mut self, task: &Self, weight: u64) {
        self.subtract(task.load, weight * task.load_sum, task.util, task.util_sum, task.runnable, task.runnable_sum);
    }

    /// Averages of tasks that left while they slept are taken away.
    pub fn remove(&mut self, load: u64, util: u64, runnable: u64) {
        let divider = self.divider();
        self.subtract(load, load * divider, util, util * divider, runnable, runnable * divider);
    }

    fn subtract(&mut self, load: u64, load_sum: u64, util: u64, util_sum: u64, runnable: u64, runnable_sum: u64) {
        let take = |average: &mut u64, sum: &mut u64, less: u64, less_sum: u64| {
            *average = average.saturating_sub(less);
            *sum = sum.saturating_sub(less_sum).max(*average * LEAST_DIVIDER);
        };
        take(&mut self.load, &mut self.load_sum, load, load_sum);
        take(&mut self.util, &mut self.util_sum, util, util_sum);
        take(&mut self.runnable, &mut self.runnable_sum, runnable, runnable_sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_halves_in_32_periods() {
        assert_eq!(decay(47_742, 32), 23_870);
        assert_eq!(decay(1 << 20, 64), (1 << 18) - 1);
        assert_eq!(decay(u64::from(u32::MAX), HALF_LIFE * 63 + 1), 0);
    }

    #[test]
    fn a_task_that_always_runs_reaches_its_weight() {
        let mut task = LoadAverage { last: 1024, ..LoadAverage::default() };
        for millisecond in 1..2_000u64 {
            task.update_task(1024 + millisecond * 1_000_000, 1024, true, true, true);
        }
        assert!((1019..=1024).contains(&task.util), "{}", task.util);
        assert!((1019..=1024).contains(&task.load), "{}", task.load);
        assert!((1019..=1024).contains(&task.runnable), "{}", task.runnable);
        let util = task.util;
        task.update_task(1024 + 1_999_000_000 + 32 * 1024 * 1024, 1024, false, false, false);
        assert!(task.util.abs_diff(util / 2) <= 12, "{}", task.util);
    }

    #[test]
    fn what_is_attached_can_be_detached() {
        let mut queue = LoadAverage { last: 4096, ..LoadAverage::default() };
        queue.update_queue(50_000_000, 2048, 2, true);
        let before = queue;
        let mut task = LoadAverage::new_task(1024, 300);
        queue.attach(&mut task, 1024);
        assert_eq!((queue.util, queue.load), (before.util + 300, before.load + 1024));
        queue.detach(&task, 1024);
        assert_eq!((queue.util, queue.load, queue.runnable), (before.util, before.load, before.runnable));
    }
}
