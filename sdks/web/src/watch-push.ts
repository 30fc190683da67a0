import type { State } from './events.ts'
import type { Herald } from './page.ts'

/** What a page shows of Herald. `state` is undefined until it is known; `ready` says that a click may call `subscribe`. */
export type Push = { herald: Herald; state: State | undefined; ready: boolean }

/** A value that changes: `first` is what a server renders, `get` gives the newest, and `listen` tells of changes until its result is called. */
export type Watch = { first: Push; get: () => Push; listen: (changed: () => void) => () => void }

const watches = new WeakMap<Herald, Watch>()

/** Watches the state of Herald on a page. All components share one watch. */
export function watchPush(herald: Herald): Watch {
  const known = watches.get(herald)
  if (known) return known
  const first: Push = { herald, state: undefined, ready: false }
  let push = first
  const listeners = new Set<() => void>()
  const set = (more: Partial<Push>): void => {
    push = { ...push, ...more }
    for (const listener of listeners) listener()
  }
  const watch: Watch = {
    first,
    get: () => push,
    listen(changed) {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
  }
  watches.set(herald, watch)
  herald.on('change', (state) => set({ state }))
  void herald.state().then((state) => set({ state }))
  void herald.ready.then((state) => set({ state, ready: true }))
  return watch
}
