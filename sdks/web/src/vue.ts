import { onScopeDispose, shallowRef, type ShallowRef } from 'vue'
import type { Herald } from './page.ts'
import { watchPush, type Push } from './watch-push.ts'

export type { Push } from './watch-push.ts'

/** Gives Herald and its state as a ref, until the component or effect scope ends. */
export function usePush(herald: Herald): Readonly<ShallowRef<Push>> {
  const watch = watchPush(herald)
  const push = shallowRef(watch.get())
  onScopeDispose(watch.listen(() => (push.value = watch.get())))
  return push
}
