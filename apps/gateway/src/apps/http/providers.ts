import { platformOf, providerKinds } from '@herald/contracts/app'
import { probeCircuits, readCircuits } from '@herald/contracts/calls/audience'
import { checkProvider } from '@herald/contracts/calls/dispatcher'
import { fault } from '@herald/contracts/fault'
import { remedyOf } from '@herald/contracts/remedies'
import { getApp } from '../store/apps.ts'
import { z } from 'zod'
import { providers } from '../core/providers/providers.ts'
import { readProvider, removeProvider, rollBackProvider, setProvider } from '../manage-provider.ts'
import { Circuit, Probed, ProviderChecked } from './app-answers.ts'
import { Time, WebPushKey } from '../../http/answers.ts'
import { elsewhere, own, route } from '../../http/route.ts'

const Unchecked = z.strictObject({
  unchecked: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional()
    .meta({ description: 'true: the credentials are set without asking the provider about them.' }),
})

export const providerRoutes = [
  ...providerKinds.map((kind) =>
    route({
      ...providers[kind].route,
      method: 'put',
      path: `/v1/admin/apps/:appId/providers/${kind}`,
      key: 'admin',
      scope: 'settings',
      query: Unchecked,
      status: 200,
      description:
        'When the app has credentials, the provider is asked about the new ones first, and nobody gets a push: when it does not take them, the answer is 422 with its word and what to do, and when it cannot be asked, 409. Those in use stay then. The replaced ones are kept for a rollback.',
      answers: providers[kind].shown,
      faults: ['invalid_state'],
      audit: own('provider.set'),
      answer: (gateway, { appId, body, query: { unchecked = false }, note }) =>
        setProvider({ ...gateway, note }, appId, { kind, body, unchecked }),
    }),
  ),
  ...providerKinds.flatMap((kind) => [
    route({
      name: `read-${kind}`,
      method: 'get',
      path: `/v1/admin/apps/:appId/providers/${kind}`,
      key: 'admin',
      scope: 'read',
      status: 200,
      summary: 'Read the credentials, without secrets, and the circuits to the provider',
      answers: providers[kind].shown.extend({
        circuits: z.array(Circuit),
        former: providers[kind].shown
          .extend({ replacedAt: Time })
          .nullable()
          .meta({ description: 'The credentials that a rollback would bring back; null when none are kept.' }),
      }),
      async answer({ db, bus }, { appId }) {
        const provider = await readProvider({ db }, appId, kind)
        const { circuits } = await bus.call(readCircuits, { appId })
        return { ...provider, circuits: circuits.filter(({ platform }) => platform === platformOf[kind]) }
      },
    }),
    route({
      name: `probe-${kind}`,
      method: 'post',
      path: `/v1/admin/apps/:appId/providers/${kind}/probe`,
      key: 'admin',
      scope: 'settings',
      status: 202,
      summary: 'Probe the provider now where a circuit is open; answers how many circuits are',
      answers: Probed,
      audit: elsewhere('provider.probed', () => ({ kind })),
      answer: ({ bus }, { appId }) => bus.call(probeCircuits, { appId, platform: platformOf[kind] }),
    }),
    route({
      name: `check-${kind}`,
      method: 'post',
      path: `/v1/admin/apps/:appId/providers/${kind}/check`,
      key: 'admin',
      scope: 'settings',
      status: 200,
      summary: 'Ask the provider whether it takes the credentials; nobody gets a push',
      answers: ProviderChecked,
      audit: 'nothing',
      async answer({ db, bus }, { appId }) {
        await getApp(db, appId)
        const checked = await bus.call(checkProvider, { appId, kind })
        return { ...checked, remedy: checked.code && remedyOf(kind, checked.code, checked.providerCode) }
      },
    }),
    route({
      name: `rollback-${kind}`,
      method: 'post',
      path: `/v1/admin/apps/:appId/providers/${kind}/rollback`,
      key: 'admin',
      scope: 'settings',
      status: 200,
      summary: 'Bring back the credentials that were replaced last; those in use are kept in their place',
      answers: providers[kind].shown,
      faults: ['invalid_state'],
      audit: own('provider.rolled-back'),
      answer: (gateway, { appId, note }) => rollBackProvider({ ...gateway, note }, appId, kind),
    }),
    route({
      name: `remove-${kind}`,
      method: 'delete',
      path: `/v1/admin/apps/:appId/providers/${kind}`,
      key: 'admin',
      scope: 'settings',
      status: 204,
      summary: 'Remove the credentials, also the former ones',
      audit: own('provider.removed'),
      answer: (gateway, { appId, note }) => removeProvider({ ...gateway, note }, appId, kind),
    }),
  ]),
]

/** The route that gives a web page the key for its Web Push subscription. A public API key is enough for it. */
export const webPushKey = [
  route({
    name: 'readWebPushKey',
    method: 'get',
    path: '/v1/web-push-key',
    key: 'public',
    scope: 'subscriptions:write',
    status: 200,
    summary: 'Read the key that a page subscribes with',
    description:
      'The applicationServerKey of PushManager.subscribe. A subscription that was made with another key gets nothing: subscribe anew. 404 while Web Push is not configured.',
    answers: WebPushKey,
    faults: ['not_found'],
    async answer({ webPushKeys }, { appId }) {
      const publicKey = await webPushKeys.of(appId)
      if (!publicKey) throw fault('not_found', 'Web Push is not configured for this app.')
      return { publicKey }
    },
  }),
]
