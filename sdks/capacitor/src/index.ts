import { registerPlugin, type PluginListenerHandle } from '@capacitor/core'
import { heraldOver } from '@herald/react-native/device'

export { HeraldError } from '@herald/react-native/device'
export type { Category, Conversion, ErrorCode, Events, Herald, Push, StartOptions, TagValue, Tap } from '@herald/react-native/device'

/** The native plugin (https://capacitorjs.com/docs/plugins). A web build has none, and each call there is rejected with `UNIMPLEMENTED`. */
type NativePlugin = {
  call(options: { name: string; given: Record<string, unknown> }): Promise<{ answer?: unknown }>
  addListener(name: 'event', handle: (told: { name: string; event: unknown }) => void): Promise<PluginListenerHandle>
}

const plugin = registerPlugin<NativePlugin>('Herald')

/** Herald in this app. Call `start` first. */
export const herald = heraldOver({
  async call(name, given) {
    const { answer } = await plugin.call({ name, given })
    if (name === 'register') watchForeground()
    return answer ?? null
  },
  listen(handle) {
    const listening = plugin.addListener('event', ({ name, event }) => handle(name, event))
    listening.then(() => plugin.call({ name: 'listen', given: {} })).catch(() => undefined)
  },
})

let isWatching = false

/** Reports a session each time that the app comes to the foreground after its first registration. */
function watchForeground(): void {
  if (isWatching) return
  isWatching = true
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') herald.foreground().catch(() => undefined)
  })
}
