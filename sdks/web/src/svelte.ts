import type { Herald } from './page.ts'
import { watchPush, type Push } from './watch-push.ts'

export type { Push } from './watch-push.ts'

/** A Svelte store of Herald and its state: `const push = pushStore(herald)`, then `$push.state`. */
export function pushStore(herald: Herald): { subscribe(run: (push: Push) => void): () => void } {
  const watch = watchPush(herald)
  return {
    subscribe(run) {
      run(watch.get())
      return watch.listen(() => run(watch.get()))
    },
  }
}
