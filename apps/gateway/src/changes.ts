import { appChanged, keyRevoked } from '@herald/contracts/calls/gateway'
import type { Bus } from '@herald/service/bus'

/** Tells this process and every other gateway that something changed, so that none of them goes on with what it remembers. */
export type Changes = {
  appChanged(appId: string): void
  keyRevoked(keyId: string): void
}

/** What this process remembers of apps or keys. */
type Memory = { forgetApp(appId: string): void; forgetKey?(keyId: string): void; forgetAll(): void }

/**
 * Keeps memories right. It listens before this gateway takes requests, so that a gateway that answers hears what the others revoke.
 * What was told while NATS was away was not heard, so everything is forgotten then.
 */
export function openChanges({ bus, memories }: { bus: Bus; memories: readonly Memory[] }): Changes {
  const forgetApp = (appId: string) => {
    for (const memory of memories) memory.forgetApp(appId)
  }
  const forgetKey = (keyId: string) => {
    for (const memory of memories) memory.forgetKey?.(keyId)
  }
  bus.onReconnect(() => {
    for (const memory of memories) memory.forgetAll()
  })
  bus.listen(appChanged, ({ appId }) => forgetApp(appId))
  bus.listen(keyRevoked, ({ keyId }) => forgetKey(keyId))
  return {
    appChanged(appId) {
      forgetApp(appId)
      bus.broadcast(appChanged, { appId })
    },
    keyRevoked(keyId) {
      forgetKey(keyId)
      bus.broadcast(keyRevoked, { keyId })
    },
  }
}
