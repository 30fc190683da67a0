import type { FaultCode } from '@herald/contracts/fault'
import { appExamples } from '../../apps/http/app-examples.ts'
import { auditExamples } from '../../audit/http/audit.ts'
import { campaignExamples } from '../../campaigns/http/campaign-examples.ts'
import { draftExamples } from '../../campaigns/http/drafts.ts'
import { notificationExamples } from '../../campaigns/http/notification-examples.ts'
import { appId, keyId, type Example } from '../../http/shop.ts'
import { overviewExamples } from '../../overview/http/overview-examples.ts'
import { userExamples } from '../../people/http/user-examples.ts'
import { pictureExamples } from '../../pictures/http/pictures.ts'
import { sessionExamples } from '../../session/http/session-answers.ts'
import { simulatorExamples } from '../../simulator/http/simulator-answers.ts'
import { webhookExamples } from '../../webhooks/http/webhook-examples.ts'

/** The examples of every route of both documents, by the route's name. */
export const exampleOf: Record<string, Example> = {
  ...appExamples,
  ...userExamples,
  ...notificationExamples,
  ...campaignExamples,
  ...draftExamples,
  ...pictureExamples,
  ...overviewExamples,
  ...auditExamples,
  ...sessionExamples,
  ...simulatorExamples,
  ...webhookExamples,
  readHealth: { answer: { status: 'ok', db: 'ready' } },
}

/** Example values of the parameters in a path. */
export const exampleParam: Record<string, string> = {
  appId,
  keyId,
  deliveryId: 'dlv_66f0c1a2b3c4d5e6f7a8b9c0',
  deviceId: 'ios-300',
  externalId: 'customer-4711',
  kind: 'o',
  attributesType: 'MatchAttributes',
  activityId: 'match-3',
  msgId:
    'NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2fDY3MWEyYjNjNGQ1ZTZmNzA4MTkyMGEwNXw2NzFhMmIzYzRkNWU2ZjcwODE5MjBhMDJ8NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTAxfGlvc3w.q83vEjRWeJCrze8SNFZ4kA',
}

/** An example of each error: its message, and the path of the field when the error is about one. */
export const exampleFault: Record<FaultCode, { message: string; path?: string }> = {
  unknown_kind: { message: 'The kind must be d, o, c or x.' },
  invalid_msg_id: { message: 'The msgId is not one of ours.' },
  unauthorized: { message: 'The API key is not valid.' },
  forbidden: { message: 'The API key does not have the scope campaigns:write.' },
  not_found: { message: 'Not found.' },
  method_not_allowed: { message: 'This method is not allowed here; allowed: POST.' },
  duplicate_name: { message: 'This name is taken.', path: 'name' },
  invalid_state: { message: 'The campaign is cancelled.' },
  limit_reached: { message: 'A user has at most 100 devices.' },
  idempotency_in_progress: { message: 'A request with this Idempotency-Key is still being processed.' },
  not_an_experiment: { message: 'The campaign is not an experiment.' },
  still_sending: { message: 'The campaign is still sending.' },
  no_remainder: { message: 'Nobody was held out of the experiment.' },
  winner_already_sent: { message: 'The winner was sent already.' },
  body_too_large: { message: 'The body must be at most 512 KiB.' },
  unsupported_media_type: { message: 'The body must be JSON in UTF-8: content-type application/json.' },
  invalid_body: { message: 'is required', path: 'name' },
  invalid_segment: { message: 'is not a known field; tags are written tags.<name>', path: 'segment.and.1.field' },
  idempotency_key_reused: { message: 'This Idempotency-Key was used with another request.' },
  unknown_variant: { message: 'is not a variant of this campaign', path: 'variant' },
  rate_limited: { message: 'Too many requests. Try again in 17 seconds.' },
  internal: { message: 'Internal error.' },
  database_unavailable: { message: 'The database is unavailable. Try again shortly.' },
  queue_unavailable: { message: 'A part of the service is unavailable. Try again shortly.' },
}
