import { appChanged, keyRevoked } from '@herald/contracts/calls/gateway'
import type { Bus } from '@herald/service/bus'
import type { ApiKeys } from './authenticate.ts'
import type { IdentityRules } from './people/identity-rules.ts'
import type { WebPushKeys } from './apps/web-push-keys.ts'

/** Tells this process and every other that something changed, so that what they remember of it is forgotten at once. */
export type Changes = {
  appChanged(appId: string): void
  keyRevoked(keyId: string): void
}

/**
 * Listens first, tells later: a gateway that answers requests already hears what the others revoke. After NATS was away everything is
 * forgotten: what was told meanwhile was not heard.
 */
export function openChanges(bus: Bus, keys: ApiKeys, identityRules: IdentityRules, webPushKeys: WebPushKeys): Changes {
  const forgetApp = (appId: string) => {
    keys.forgetApp(appId)
    identityRules.forgetApp(appId)
    webPushKeys.forgetApp(appId)
  }
  bus.onReconnect(() => {
    keys.forgetAll()
    identityRules.forgetAll()
    webPushKeys.forgetAll()
  })
  bus.listen(appChanged, ({ appId }) => forgetApp(appId))
  bus.listen(keyRevoked, ({ keyId }) => keys.forgetKey(keyId))
  return {
    appChanged(appId) {
      forgetApp(appId)
      bus.broadcast(appChanged, { appId })
    },
    keyRevoked(keyId) {
      keys.forgetKey(keyId)
      bus.broadcast(keyRevoked, { keyId })
    },
  }
}
