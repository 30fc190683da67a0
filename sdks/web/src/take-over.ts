/**
 * Whose worker gets the pushes of the scope. `active`: one that runs Herald. `waiting`: the site's own worker, whose next version runs Herald and
 * waits for its turn. `foreign`: another one.
 */
export type WorkerState = 'active' | 'waiting' | 'foreign'

const fileOf = (worker: ServiceWorker | null): string | undefined => worker?.scriptURL.split(/[?#]/)[0]

/**
 * Waits until the registration's active worker, which gets the pushes, runs Herald (`known`: such a worker's address). A waiting worker in another
 * provider's place is told to take over. Throws when none installs or waits after 2.5 s.
 */
export async function untilOurs(
  registration: ServiceWorkerRegistration,
  known: string | undefined,
  say: (state: WorkerState) => void,
): Promise<ServiceWorkerRegistration> {
  let asked: ServiceWorker | null | undefined
  let ours: ServiceWorker | null | undefined
  for (let looks = 0; ; looks += 1) {
    const { active, waiting, installing } = registration
    if (active && (active === ours || active.scriptURL === known)) return registration
    if (active && active !== asked) {
      asked = active
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => (ours = active)
      active.postMessage({ herald: 'hello' }, [port2])
    }
    const next = waiting ?? installing
    const isOwn = fileOf(active) === fileOf(next)
    if (!next && (!active || looks > 50)) throw new Error()
    if (active && waiting && !isOwn) waiting.postMessage({ herald: 'take-over' })
    if (active && looks > 1) say(isOwn ? 'waiting' : 'foreign')
    await new Promise((resolve) => setTimeout(resolve, looks > 50 ? 1_000 : 50))
  }
}
