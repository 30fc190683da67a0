/** Finds the newest stored result whose file name is `beginning`, followed by a date and a commit. */
export type Kept = (beginning: string) => { file: string; result: unknown } | undefined

/** A line of the table in docs/performance.md: what is measured, its goal, and the figure from the newest stored result. */
export type Row = { measure: string; goal: string; repeat: string; from: string; read: (result: never) => Reading }
/** `met` is null when the result cannot say whether the goal is met. */
export type Reading = { text: string; met: boolean | null }

type Ratios = { ratios: Record<string, { pushesPerSecond: number; cpuPerPush: number } | null> }
type Medians = { medians: Record<string, Record<string, number | null>> }
type Peers = Ratios & Medians & { rounds: { contender: string; peakRssMb: Record<string, number> }[] }
type Sends = { perSecond: number; arrivedMs: { p50: number; p99: number }; cpuMsPerSendInAll: number }
type Small = { idle: Sends; sustained: Sends }
type Registered = { perSecond: number; cpuMsEachInAll: number }
type Registrations = { prefill: number; empty: Registered; filled?: Registered }
type Size = { bytes: number; live: number }
type Day = {
  perTenth: { perSecond: number; executionMicrosecondsPerSend: number }[]
  tables: { name: string; before: Size; rested: Size }[]
  statements: { app: string; text: string; calls: number; firstTenthMicroseconds: number; lastTenthMicroseconds: number; times: number }[]
}
type Million = {
  promptMs: { sends: number; p99: number }
  firstTenthPerSecond: number
  lastTenthPerSecond: number
  pushesPerSecond: number
  verify: { ms: number; agrees: boolean }
  rssMb: Record<string, { firstTenth: number | null; lastTenth: number | null; peak: number }>
}

const apps = ['audience', 'campaigns', 'dispatcher', 'gateway', 'tracker', 'webhooks']
const none: Reading = { text: 'no round counts', met: null }

/** Makes a function that gives the median ratio of Herald to parse-server in one run of the bench, and beside it the median of each of the two. */
const beside =
  (value: 'pushesPerSecond' | 'cpuPerPush', bound: number) =>
  (result: Peers): Reading => {
    const ratio = result.ratios['parse-server']?.[value]
    if (ratio === undefined) return none
    const figure = value === 'pushesPerSecond' ? 'pushes/s' : 'CPU µs/push'
    const others = value === 'pushesPerSecond' ? figure : 'without its Postgres'
    const [own, other] = [result.medians['herald']?.[figure], result.medians['parse-server']?.[others]]
    return {
      text: `${ratio.toFixed(2)} × (${own?.toFixed(0)} and ${other?.toFixed(0)})`,
      met: value === 'pushesPerSecond' ? ratio >= bound : ratio <= bound,
    }
  }

const peer = (mix: string, devices = 20_000) => ({
  from: `peers-${mix}-${devices}-`,
  repeat: `npm run bench -- --peer --mix ${mix}${devices === 20_000 ? '' : ` --devices ${devices}`}`,
})
const small = { from: 'small-ios-', repeat: 'npm run bench:small' }
const paced = { from: 'small-rate-1000-ios-', repeat: 'npm run bench:small -- --rate 1000' }
const million = { from: 'million-ios-1000000-', repeat: 'npm run bench:million' }
const day = { from: 'day-1000000-', repeat: 'npm run bench:day -- --sends 1000000 --campaigns 100' }
const registrations = { from: 'registrations-20000-after-10000000-', repeat: 'npm run bench:registrations -- --prefill 10000000' }

const row = (
  measure: string,
  goal: string,
  { from, repeat }: { from: string; repeat: string },
  // Each row reads results of the format that its bench writes.
  read: (result: never) => Reading,
): Row => ({ measure, goal, from, repeat, read })

export const rows: Row[] = [
  row('iOS, CPU µs a push', '≤ 0.55 ×', peer('ios'), beside('cpuPerPush', 0.55)),
  row('Android, CPU µs a push', '≤ 0.4 ×', peer('android'), beside('cpuPerPush', 0.4)),
  row('mixed, CPU µs a push', '≤ 0.35 ×', peer('mixed'), beside('cpuPerPush', 0.35)),
  row('20,000 iOS, pushes/s', '≥ 2 ×', peer('ios'), beside('pushesPerSecond', 2)),
  row('100,000 iOS, pushes/s', '≥ 2 ×', peer('ios', 100_000), beside('pushesPerSecond', 2)),
  row('20,000 Android, pushes/s', '≥ 3 ×', peer('android'), beside('pushesPerSecond', 3)),
  row('20,000 mixed, pushes/s', '≥ 4 ×', peer('mixed'), beside('pushesPerSecond', 4)),
  row('WAL a push', '≤ 150 bytes', peer('ios'), ({ medians }: Medians) => atMost(medians['herald']?.['WAL bytes/push'], 150, 'bytes')),
  row('the ledger on disk, a push', '≤ 48 bytes', peer('ios'), ({ medians }: Medians) =>
    atMost(medians['herald']?.['ledger bytes/push'], 48, 'bytes'),
  ),
  row('one device, idle: POST to provider', 'p50 ≤ 12 ms, p99 ≤ 40 ms', small, ({ idle: { arrivedMs } }: Small) => ({
    text: `p50 ${arrivedMs.p50.toFixed(1)} ms, p99 ${arrivedMs.p99.toFixed(1)} ms`,
    met: arrivedMs.p50 <= 12 && arrivedMs.p99 <= 40,
  })),
  row('one-device sends, 1,000 asked for a second', '≥ 1,000/s, p99 ≤ 250 ms', paced, ({ sustained: { perSecond, arrivedMs } }: Small) => ({
    text: `${perSecond.toFixed(0)}/s, p99 ${arrivedMs.p99.toFixed(0)} ms`,
    // 980/s meet the goal: a run takes 20 s and its last pushes arrive up to 0.4 s after the last POST, which lowers the measured rate by up to a
    // fiftieth.
    met: perSecond >= 980 && arrivedMs.p99 <= 250,
  })),
  row('one-device sends, as fast as they go', '≥ 1,000/s', small, ({ sustained }: Small) => ({
    text: `${sustained.perSecond.toFixed(0)}/s`,
    met: sustained.perSecond >= 1_000,
  })),
  row('one-device send, CPU', '≤ 1.5 ms', small, ({ sustained }: Small) => atMost(sustained.cpuMsPerSendInAll, 1.5, 'ms')),
  row('registrations, 32 at once', '≥ 2,500/s, up to ten million', registrations, ({ empty, filled }: Registrations) => ({
    text: `${empty.perSecond}/s empty, ${filled?.perSecond ?? '-'}/s after 10,000,000`,
    met: filled === undefined ? null : Math.min(empty.perSecond, filled.perSecond) >= 2_500,
  })),
  row('registration, CPU', '≤ 0.8 ms', registrations, ({ empty, filled = empty }: Registrations) =>
    atMost(Math.max(empty.cpuMsEachInAll, filled.cpuMsEachInAll), 0.8, 'ms'),
  ),
  row('a prompt send during one to 1,000,000', 'p99 ≤ 1 s', million, ({ promptMs: { sends, p99 } }: Million) => ({
    text: `p99 ${(p99 / 1000).toFixed(2)} s of ${sends}`,
    met: p99 <= 1_000,
  })),
  row('1,000,000: last tenth beside first', 'within 10 %', million, (result: Million) => {
    const ratio = result.lastTenthPerSecond / result.firstTenthPerSecond
    return { text: `${ratio.toFixed(2)} × (${result.pushesPerSecond.toFixed(0)}/s in all)`, met: ratio >= 0.9 }
  }),
  row('1,000,000: verify', 'exact, ≤ 3 s', million, ({ verify: { ms, agrees } }: Million) => ({
    text: `${agrees ? 'exact' : 'differs'}, ${(ms / 1000).toFixed(2)} s`,
    met: agrees && ms <= 3_000,
  })),
  row('memory of the largest service, 20,000 iOS', '≤ 256 MB', peer('ios'), ({ rounds }: Peers) => {
    const own = rounds.filter(({ contender }) => contender === 'herald')
    return atMost(Math.max(...own.flatMap(({ peakRssMb }) => apps.map((app) => peakRssMb[app] ?? 0))), 256, 'MB')
  }),
  row('memory of the largest service, 1,000,000 iOS', '≤ 256 MB, flat', million, ({ rssMb }: Million) => {
    const most = (of: 'firstTenth' | 'lastTenth' | 'peak') => Math.max(...apps.map((app) => rssMb[app]?.[of] ?? 0))
    const [first, last, peak] = [most('firstTenth'), most('lastTenth'), most('peak')]
    return { text: `${peak} MB; ${first} at first, ${last} at last`, met: peak <= 256 && last <= first * 1.15 }
  }),
  row('1,000,000 sends and 100 campaigns: tables', 'resting sizes', day, ({ tables }: Day) => {
    // Finds the tables that have no more rows than before and yet take over 8 MB more space. Up to 8 MB more are allowed, because they are free space
    // that the next hour uses again.
    const swollen = tables.filter(({ before, rested }) => rested.live <= before.live && rested.bytes > before.bytes + 8_000_000)
    const names = swollen.map(({ name, rested }) => `${name} ${Math.round(rested.bytes / 1e6)} MB`).join(', ')
    return { text: swollen.length === 0 ? 'all of them' : names, met: swollen.length === 0 }
  }),
  row('1,000,000 sends and 100 campaigns: statements', 'none slower at the end', day, ({ perTenth, statements }: Day) => {
    const took = ({ calls, lastTenthMicroseconds }: Day['statements'][number]) => calls * lastTenthMicroseconds
    const inAll = statements.reduce((sum, statement) => sum + took(statement), 0)
    // Only statements of at least a hundredth of all time are compared. One may take up to 1.25 times as long at the end, because times in two runs
    // differ by up to a quarter.
    const [worst] = statements.filter((statement) => took(statement) >= inAll / 100).toSorted((one, other) => other.times - one.times)
    const [first, last] = [perTenth.at(0), perTenth.at(-1)].map((tenth) => Math.round(tenth?.executionMicrosecondsPerSend ?? Number.NaN))
    const grown = worst ? `; most ${worst.times.toFixed(2)} ×` : ''
    return { text: `${first} µs a send at first, ${last} at last${grown}`, met: worst ? worst.times <= 1.25 : null }
  }),
]

function atMost(value: number | null | undefined, bound: number, unit: string): Reading {
  if (value === null || value === undefined) return none
  return { text: `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`, met: value <= bound }
}
