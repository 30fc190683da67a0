import { AppState } from 'react-native'
import { heraldOver } from './device.ts'
import NativeHerald from './NativeHerald.ts'

export { HeraldError } from './device.ts'
export type { Category, Conversion, ErrorCode, Events, Herald, Push, StartOptions, TagValue, Tap } from './device.ts'

/** Herald in this app. Call `start` first. */
export const herald = heraldOver({
  async call(name, given) {
    const { answer } = (await NativeHerald.call(name, given)) as { answer?: unknown }
    if (name === 'register') watchForeground()
    return answer ?? null
  },
  listen(handle) {
    NativeHerald.onEvent(({ name, event }) => handle(name, event))
    void NativeHerald.call('listen', {})
  },
})

let isWatching = false

/** Reports a session each time that the app comes to the foreground after its first registration. */
function watchForeground(): void {
  if (isWatching) return
  isWatching = true
  AppState.addEventListener('change', (state) => {
    if (state === 'active') herald.foreground().catch(() => undefined)
  })
}
