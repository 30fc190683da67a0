import { verifyMessageId } from '@herald/auth/message-id'
import { engagementKinds, type EngagementLetter } from '@herald/contracts/event'
import { fault } from '@herald/contracts/fault'
import { route } from './route.ts'

export const tracking = [
  route({
    name: 'trackEvent',
    method: 'post',
    path: '/v1/e/:kind/:msgId',
    key: 'none',
    limit: 'event',
    anyOrigin: true,
    texts: ['kind', 'msgId'],
    status: 204,
    summary: 'Report what became of a push on its device',
    description:
      'kind is d (delivered), o (opened), c (clicked) or x (dismissed). The signed msgId is the credential. A replay answers 204 and counts nothing.',
    faults: ['unknown_kind', 'invalid_msg_id'],
    async answer({ hmacSecrets, countEvent }, { params }) {
      if (!isLetter(params.kind)) throw fault('unknown_kind', 'The kind must be d, o, c or x.')
      const push = verifyMessageId(hmacSecrets, params.msgId)
      if (!push) throw fault('invalid_msg_id', 'The msgId is not one of ours.')
      await countEvent({ kind: engagementKinds[params.kind], ...push })
    },
  }),
]

const isLetter = (kind: string): kind is EngagementLetter => Object.hasOwn(engagementKinds, kind)
