import { verifyMessageId } from '@herald/auth/message-id'
import { actionForm, engagementKinds, type EngagementLetter } from '@herald/contracts/event'
import { fault } from '@herald/contracts/fault'
import { z } from 'zod'
import { route } from '../../http/route.ts'

/**
 * The query of a report. A parameter other than `action`, and an action in another form, is ignored, because a device must not lose its report for
 * such a mistake.
 */
const Report = z.object({
  action: z
    .string()
    .regex(actionForm)
    .optional()
    .catch(undefined)
    .meta({ description: 'The id of the action that was pressed; webhooks pass it on. In another form it is ignored.' }),
})

export const tracking = [
  route({
    name: 'trackEvent',
    method: 'post',
    path: '/v1/e/:kind/:msgId',
    key: 'none',
    limit: 'event',
    anyOrigin: true,
    texts: ['kind', 'msgId'],
    query: Report,
    status: 204,
    summary: 'Report what became of a push on its device',
    description:
      'kind is d (delivered), o (opened), c (clicked) or x (dismissed). The signed msgId is the credential. A replay answers 204 and counts nothing.',
    faults: ['unknown_kind', 'invalid_msg_id'],
    async answer({ hmacSecrets, countEvent }, { params, query: { action } }) {
      if (!isLetter(params.kind)) throw fault('unknown_kind', 'The kind must be d, o, c or x.')
      const push = verifyMessageId(hmacSecrets, params.msgId)
      if (!push) throw fault('invalid_msg_id', 'The msgId is not one of ours.')
      await countEvent({ kind: engagementKinds[params.kind], ...push, ...(action === undefined ? {} : { action }) })
    },
  }),
]

const isLetter = (kind: string): kind is EngagementLetter => Object.hasOwn(engagementKinds, kind)
