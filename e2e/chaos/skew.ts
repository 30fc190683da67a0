/**
 * Loaded into every process of a platform (NODE_OPTIONS=--import). Shifts the clock of the services that HERALD_SKEWS names, in seconds, as in
 * `audience=600,dispatcher=-600`. Functions that measure durations (`performance.now`, timers) stay right, as on a machine whose clock is wrong.
 */
const [, app = ''] = /apps[/\\](\w+)[/\\]src[/\\]main\.ts$/.exec(process.argv[1] ?? '') ?? []
const skews = new Map((process.env['HERALD_SKEWS'] ?? '').split(',').map((one) => [one.split('=')[0], Number(one.split('=')[1])]))
const skewMs = (skews.get(app) ?? 0) * 1000

if (skewMs !== 0) {
  const TrueDate = Date
  const now = () => TrueDate.now() + skewMs
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, given: unknown[], newTarget: typeof Date) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
    apply: () => new TrueDate(now()).toString(),
    get: (target, key) => (key === 'now' ? now : (Reflect.get(target, key) as unknown)),
  })
}
