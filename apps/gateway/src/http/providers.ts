import { ApnsCredentials, FcmCredentials, WebPushCredentials } from '@herald/contracts/administration'
import { providerKinds, type ProviderKind } from '@herald/contracts/app'
import { probeCircuits, readCircuits } from '@herald/contracts/calls/audience'
import type { Platform } from '@herald/contracts/platform'
import { readApp } from '../manage-app.ts'
import { readProvider, removeProvider, setApns, setFcm, setWebPush } from '../manage-provider.ts'
import { insertAudit } from '../store/audit.ts'
import { route } from './route.ts'

const platformOf: Record<ProviderKind, Platform> = { apns: 'ios', fcm: 'android', webpush: 'web' }

export const providers = [
  route({
    name: 'setApns',
    method: 'put',
    path: '/v1/admin/apps/:appId/providers/apns',
    key: 'admin',
    body: ApnsCredentials,
    status: 200,
    summary: 'Set the APNs credentials',
    answer: (gateway, { appId, body }) => setApns(gateway, appId, body),
  }),
  route({
    name: 'setFcm',
    method: 'put',
    path: '/v1/admin/apps/:appId/providers/fcm',
    key: 'admin',
    body: FcmCredentials,
    status: 200,
    summary: 'Set the FCM credentials',
    answer: (gateway, { appId, body }) => setFcm(gateway, appId, body),
  }),
  route({
    name: 'setWebPush',
    method: 'put',
    path: '/v1/admin/apps/:appId/providers/webpush',
    key: 'admin',
    body: WebPushCredentials,
    status: 200,
    summary: 'Set the Web Push credentials; keys are made when there are none',
    answer: (gateway, { appId, body }) => setWebPush(gateway, appId, body),
  }),
  ...providerKinds.flatMap((kind) => [
    route({
      name: `read-${kind}`,
      method: 'get',
      path: `/v1/admin/apps/:appId/providers/${kind}`,
      key: 'admin',
      status: 200,
      summary: 'Read the credentials, without secrets, and the breakers of the way to the provider',
      async answer({ db, bus }, { appId }) {
        const provider = await readProvider(db, appId, kind)
        const { circuits } = await bus.call(readCircuits, { appId })
        return { ...provider, circuits: circuits.filter(({ platform }) => platform === platformOf[kind]) }
      },
    }),
    route({
      name: `probe-${kind}`,
      method: 'post',
      path: `/v1/admin/apps/:appId/providers/${kind}/probe`,
      key: 'admin',
      status: 202,
      summary: 'Try the provider now, where a breaker is open; answers how many are',
      async answer({ db, bus }, { appId }) {
        await readApp(db, appId)
        const answer = await bus.call(probeCircuits, { appId, platform: platformOf[kind] })
        await insertAudit(db, { appId, action: 'provider.probed', subject: { kind } })
        return answer
      },
    }),
    route({
      name: `remove-${kind}`,
      method: 'delete',
      path: `/v1/admin/apps/:appId/providers/${kind}`,
      key: 'admin',
      status: 204,
      summary: 'Remove the credentials',
      answer: (gateway, { appId }) => removeProvider(gateway, appId, kind),
    }),
  ]),
]
