import { fault } from '@herald/contracts/fault'
import { WebPushKey } from '../../http/answers.ts'
import { route } from '../../http/route.ts'

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
      if (publicKey === null) throw fault('not_found', 'Web Push is not configured for this app.')
      return { publicKey }
    },
  }),
]
