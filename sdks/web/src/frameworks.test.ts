import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { effectScope } from 'vue'
import type { State } from './events.ts'
import type { Herald } from './page.ts'
import { HeraldProvider, usePush as useReactPush } from './react.ts'
import { pushStore } from './svelte.ts'
import { usePush as useVuePush } from './vue.ts'

/** A page's Herald whose state the test says. */
function givenHerald() {
  const handlers = new Set<(state: State) => void>()
  const state = (subscribed: boolean) => ({ supported: true, subscribed }) as State
  let becomeReady: (state: State) => void = () => undefined
  const ready = new Promise<State>((resolve) => (becomeReady = resolve))
  const herald = {
    ready,
    state: async () => state(false),
    on: (_name: string, handler: (state: State) => void) => {
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
  } as unknown as Herald
  return {
    herald,
    becomeReady: () => becomeReady(state(false)),
    say: (subscribed: boolean) => handlers.forEach((tell) => tell(state(subscribed))),
  }
}
const Shown = () => {
  const { state, ready } = useReactPush()
  return createElement('p', null, `${state?.subscribed} ${ready}`)
}
const settled = () => new Promise((resolve) => setTimeout(resolve))

test('React renders on a server, where no state is known, also after the state is known elsewhere', async () => {
  const { herald, becomeReady } = givenHerald()
  const render = () => renderToString(createElement(HeraldProvider, { herald }, createElement(Shown)))
  expect(render()).toBe('<p>undefined false</p>')
  becomeReady()
  await settled()
  expect(render()).toBe('<p>undefined false</p>')
  expect(() => renderToString(createElement(Shown))).toThrow('usePush needs a <HeraldProvider> above it.')
})

test('a ref of Vue follows the state until its scope ends', async () => {
  const { herald, becomeReady, say } = givenHerald()
  const scope = effectScope()
  const push = scope.run(() => useVuePush(herald))
  expect(push?.value).toMatchObject({ state: undefined, ready: false })
  becomeReady()
  await settled()
  expect(push?.value).toMatchObject({ state: { subscribed: false }, ready: true })
  say(true)
  expect(push?.value.state?.subscribed).toBe(true)
  scope.stop()
  say(false)
  expect(push?.value.state?.subscribed).toBe(true)
})

test('a Svelte store says its value at once and at each change, until it is left', async () => {
  const { herald, say } = givenHerald()
  const seen: (boolean | undefined)[] = []
  const leave = pushStore(herald).subscribe(({ state }) => seen.push(state?.subscribed))
  await settled()
  say(true)
  leave()
  say(false)
  expect(seen).toEqual([undefined, false, true])
})
