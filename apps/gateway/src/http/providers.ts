import { ApnsCredentials, FcmCredentials, WebPushCredentials } from '@herald/contracts/administration'
import { providerKinds } from '@herald/contracts/app'
import { readProvider, removeProvider, setApns, setFcm, setWebPush } from '../manage-provider.ts'
import { route } from './route.ts'

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
      summary: 'Read the credentials, without secrets',
      answer: ({ db }, { appId }) => readProvider(db, appId, kind),
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
