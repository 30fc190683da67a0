import { appChanged, keyRevoked } from '@herald/contracts/calls/gateway'
import type { Bus } from '@herald/service/bus'

/**
 * Tells every gateway process, this one included, that an app was changed or a key was revoked. Each process then forgets what it has cached of that
 * app or key.
 */
export type Changes = {
  appChanged(appId: string): void
  keyRevoked(keyId: string): void
}

/** A cache of this process, of apps or of keys. */
type Memory = { forgetApp(appId: string): void; forgetKey?(keyId: string): void; forgetAll(): void }

/**
 * Keeps the caches of this process right. It must listen before this gateway takes requests, else a key's revocation could be missed. A broadcast is
 * lost while NATS is away, so everything is forgotten when NATS is back.
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
