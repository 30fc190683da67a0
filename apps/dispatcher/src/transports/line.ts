import type { Hear, Push } from './transport.ts'

/**
 * The way to a provider that knows us by a token: one environment of APNs for one app, or FCM for one project. It makes the
 * request, sends it once and reads the answer; tokens, environments and repeats are its caller's.
 */
export type Line = {
  send(push: Push, token: string, hear: Hear): void
  /** Lets what is in flight end, then closes the connections. What comes later is answered as `refused`. */
  close(): Promise<void>
}
