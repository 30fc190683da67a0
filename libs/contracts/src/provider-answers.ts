import type { ProviderKind } from './app.ts'
import type { FailureCode } from './outcome.ts'

/** What an answer means for a push (spec: providers/classes). */
export const answerClasses = ['sent', 'retry', 'quota', 'config', 'suspect', 'guarded', 'dead', 'bad'] as const
export type AnswerClass = (typeof answerClasses)[number]

/** An answer that a real service is known to give. */
export type KnownAnswer = {
  /** Names the answer for the simulator: `PUT /devices/:id/behaviour {answer: 'known', known: <name>}`. */
  name: string
  provider: ProviderKind
  status: number
  headers?: Readonly<Record<string, string>>
  body: string
  /** Only push services whose host ends in this give the answer. */
  host?: string
  /** What the service says with it. */
  says: string
  class: AnswerClass
  code: FailureCode | null
  /** Where the answer was found: a page of the provider, or a public report. `read`: the month in which it was read there. */
  source: string
  read: string
}

const fcmReference = 'firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode'
const fcmErrorType = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const apnsTable = 'developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns'
const rpc = (code: number, status: string, message: string, details?: readonly object[]): string =>
  JSON.stringify({ error: { code, message, status, ...(details && { details }) } })
const fcmError = (errorCode: string) => ({ '@type': fcmErrorType, errorCode })
const violation = (field: string, description: string) => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: [{ field, description }],
})

/** The first lines of the page that Google's front end answers instead of FCM. */
const googlePage = (status: number) =>
  `<!DOCTYPE html>\n<html lang=en>\n  <meta charset=utf-8>\n  <title>Error ${status} (Server Error)!!1</title>\n  <p><b>${status}.</b> <ins>That’s an error.</ins>\n  <p>The server encountered a temporary error and could not complete your request.<p>Please try again in 30 seconds.  <ins>That’s all we know.</ins>\n`

const apns = (
  status: number,
  reason: string,
  says: string,
  meaning: [AnswerClass, FailureCode | null],
  source = apnsTable,
): KnownAnswer => ({
  name: `apns ${reason}`,
  provider: 'apns',
  status,
  body: JSON.stringify({ reason }),
  says,
  class: meaning[0],
  code: meaning[1],
  source,
  read: '2026-11',
})

const fcm = (
  name: string,
  status: number,
  body: string,
  says: string,
  meaning: [AnswerClass, FailureCode | null],
  source: string,
  headers: Readonly<Record<string, string>> = {},
): KnownAnswer => ({
  name: `fcm ${name}`,
  provider: 'fcm',
  status,
  headers: { 'content-type': body.startsWith('{') ? 'application/json; charset=UTF-8' : 'text/html; charset=UTF-8', ...headers },
  body,
  says,
  class: meaning[0],
  code: meaning[1],
  source,
  read: '2026-11',
})

const web = (
  name: string,
  status: number,
  body: string,
  says: string,
  meaning: [AnswerClass, FailureCode | null],
  source: string,
  more: { host?: string; headers?: Readonly<Record<string, string>> } = {},
): KnownAnswer => ({
  name: `web ${name}`,
  provider: 'webpush',
  status,
  headers: {
    ...(body !== '' && { 'content-type': body.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8' }),
    ...more.headers,
  },
  body,
  ...(more.host !== undefined && { host: more.host }),
  says,
  class: meaning[0],
  code: meaning[1],
  source,
  read: '2026-11',
})

const autopush = (code: number, errno: number, error: string, message: string) =>
  JSON.stringify({ code, errno, error, message, more_info: 'http://autopush.readthedocs.io/en/latest/http.html#error-codes' })
const autopushPage = 'mozilla-services.github.io/autopush-rs/errors.html'
const applePage = 'developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers'
const wnsPage = 'learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/push-request-response-headers'
const config = ['config', 'credentials_invalid'] as [AnswerClass, FailureCode]
const bad = ['bad', 'payload_invalid'] as [AnswerClass, FailureCode]
const away = ['retry', 'provider_unavailable'] as [AnswerClass, FailureCode]
const slower = ['retry', 'rate_limited'] as [AnswerClass, FailureCode]
const quota = ['quota', 'rate_limited'] as [AnswerClass, FailureCode]
const mismatch = ['guarded', 'sender_mismatch'] as [AnswerClass, FailureCode]
const invalid = ['guarded', 'token_invalid'] as [AnswerClass, FailureCode]
const dead = ['dead', 'token_dead'] as [AnswerClass, FailureCode]
const suspect = ['suspect', 'credentials_invalid'] as [AnswerClass, FailureCode]

/**
 * Every known answer of a provider but the plain acceptance. The simulator gives them, a test holds the dispatcher's tables to them, and
 * docs/provider-answers.md is made from them. A new report becomes a line.
 */
export const knownAnswers: readonly KnownAnswer[] = [
  apns(400, 'BadDeviceToken', 'the token is not valid, or belongs to the other environment', invalid),
  apns(400, 'DeviceTokenNotForTopic', 'the token is of another app than the topic', mismatch),
  apns(400, 'BadTopic', 'the topic is not valid', ['config', 'sender_mismatch']),
  apns(400, 'MissingTopic', 'the topic is missing and the key is for several', ['config', 'sender_mismatch']),
  apns(400, 'TopicDisallowed', 'this key may not send to the topic', ['config', 'sender_mismatch']),
  apns(400, 'BadCollapseId', 'the collapse id is over 64 bytes', bad),
  apns(400, 'BadExpirationDate', 'the expiration is not valid', bad),
  apns(400, 'BadMessageId', 'the id is no UUID', bad),
  apns(400, 'BadPriority', 'the priority is not valid', bad),
  apns(400, 'DuplicateHeaders', 'a header stands twice', bad),
  apns(400, 'IdleTimeout', 'the connection was idle for too long', ['retry', 'network_error']),
  apns(400, 'InvalidPushType', 'the push type is not valid', bad),
  apns(400, 'MissingDeviceToken', 'the path has no token', bad),
  apns(400, 'PayloadEmpty', 'the payload is empty', bad),
  apns(403, 'BadCertificate', 'the certificate is not valid', config),
  apns(403, 'BadCertificateEnvironment', 'the certificate is for the other environment', config),
  apns(403, 'ExpiredProviderToken', 'the provider token is older than an hour', config),
  apns(403, 'Forbidden', 'the action is not allowed', config),
  apns(403, 'InvalidProviderToken', 'the provider token is not valid', config),
  apns(403, 'MissingProviderToken', 'there is no provider token', config),
  apns(403, 'UnrelatedKeyIdInToken', 'the key is another one than that of the connection’s first push', config),
  apns(403, 'BadEnvironmentKeyInToken', 'the key is for the other environment', config),
  apns(403, 'BadEnvironmentKeyIdInToken', 'the key is for the other environment', config, 'github.com/codedge-llc/pigeon/issues/312'),
  apns(404, 'BadPath', 'the path is not valid, as when a token does not belong into a path', invalid),
  apns(405, 'MethodNotAllowed', 'the method is not POST', ['retry', 'internal']),
  apns(410, 'ExpiredToken', 'the token has expired', dead),
  apns(410, 'Unregistered', 'the app was removed, or the token is no longer the device’s', dead),
  apns(413, 'PayloadTooLarge', 'the payload is over 4,096 bytes', ['bad', 'payload_too_large']),
  apns(429, 'TooManyProviderTokenUpdates', 'the provider token changes more often than every 20 minutes', quota),
  apns(429, 'TooManyRequests', 'too many pushes went to this one device', slower),
  apns(500, 'InternalServerError', 'an error of the service', away),
  apns(503, 'ServiceUnavailable', 'the service is not available', away),
  apns(503, 'Shutdown', 'the server is shutting down', away),
  fcm(
    'unregistered',
    404,
    rpc(404, 'NOT_FOUND', 'Requested entity was not found.', [fcmError('UNREGISTERED')]),
    'the app was removed, or the token has expired',
    dead,
    fcmReference,
  ),
  fcm(
    'unknown project',
    404,
    rpc(404, 'NOT_FOUND', 'Requested entity was not found.'),
    'without FcmError: Google does not know the project',
    suspect,
    'firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send',
  ),
  fcm(
    'invalid token',
    400,
    rpc(400, 'INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token', [fcmError('INVALID_ARGUMENT')]),
    'the token is not valid; no field violation says so',
    invalid,
    'github.com/firebase/firebase-admin-java/issues/1064',
  ),
  fcm(
    'invalid token, with its field',
    400,
    rpc(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', [
      fcmError('INVALID_ARGUMENT'),
      violation('message.token', 'Invalid registration token'),
    ]),
    'the token is not valid',
    invalid,
    fcmReference,
  ),
  fcm(
    'invalid message',
    400,
    rpc(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', [
      fcmError('INVALID_ARGUMENT'),
      violation('message.android.ttl', 'Invalid TTL'),
    ]),
    'a field of the message is not valid',
    bad,
    fcmReference,
  ),
  fcm(
    'invalid message, without its field',
    400,
    rpc(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', [fcmError('INVALID_ARGUMENT')]),
    'a field of the message is not valid',
    bad,
    fcmReference,
  ),
  fcm(
    'sender id mismatch',
    403,
    rpc(403, 'PERMISSION_DENIED', 'SenderId mismatch', [fcmError('SENDER_ID_MISMATCH')]),
    'the token belongs to another project',
    mismatch,
    fcmReference,
  ),
  fcm(
    'third party auth error',
    401,
    rpc(401, 'UNAUTHENTICATED', 'Auth error from APNS or Web Push Service', [fcmError('THIRD_PARTY_AUTH_ERROR')]),
    'the project has no credentials for the platform of this token',
    mismatch,
    'github.com/firebase/firebase-admin-node/issues/3215',
  ),
  fcm(
    'unauthenticated',
    401,
    rpc(
      401,
      'UNAUTHENTICATED',
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
    ),
    'the OAuth token is not valid',
    config,
    'cloud.google.com/docs/authentication/troubleshoot-adc',
    { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' },
  ),
  fcm(
    'permission denied',
    403,
    rpc(
      403,
      'PERMISSION_DENIED',
      "Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/demo' (or it may not exist).",
    ),
    'the service account may not send for the project',
    config,
    'github.com/firebase/firebase-admin-node/issues/2548',
  ),
  fcm(
    'service disabled',
    403,
    rpc(403, 'PERMISSION_DENIED', 'Firebase Cloud Messaging API has not been used in project 1 before or it is disabled.', [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'SERVICE_DISABLED',
        domain: 'googleapis.com',
        metadata: { service: 'fcm.googleapis.com' },
      },
    ]),
    'the API (V1) is not enabled in the project',
    config,
    'cloud.google.com/apis/docs/getting-started#enabling_apis',
  ),
  fcm(
    'quota exceeded',
    429,
    rpc(
      429,
      'RESOURCE_EXHAUSTED',
      "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service 'fcm.googleapis.com' for consumer 'project_number:1'.",
      [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'RATE_LIMIT_EXCEEDED',
          domain: 'googleapis.com',
          metadata: {
            quota_metric: 'fcm.googleapis.com/send_requests',
            quota_limit: 'SendsPerMinutePerProject',
            quota_limit_value: '600000',
          },
        },
      ],
    ),
    'the project’s sends of this minute are used up; there is no FcmError',
    quota,
    'github.com/firebase/firebase-admin-go/issues/719',
  ),
  fcm(
    'quota exceeded, with FcmError',
    429,
    rpc(429, 'RESOURCE_EXHAUSTED', 'Sending limit exceeded for the message target.', [fcmError('QUOTA_EXCEEDED')]),
    'the project’s sends of this minute are used up',
    quota,
    fcmReference,
  ),
  fcm(
    'device rate exceeded',
    429,
    rpc(429, 'RESOURCE_EXHAUSTED', 'Device message rate exceeded', [fcmError('QUOTA_EXCEEDED')]),
    'too many pushes went to this one device (240 a minute, 5,000 an hour)',
    slower,
    'firebase.google.com/docs/cloud-messaging/throttling-and-quotas',
  ),
  fcm(
    'internal',
    500,
    rpc(500, 'INTERNAL', 'Internal error encountered.', [fcmError('INTERNAL')]),
    'an error of the service',
    away,
    fcmReference,
  ),
  fcm(
    'unavailable',
    503,
    rpc(503, 'UNAVAILABLE', 'The service is currently unavailable.', [fcmError('UNAVAILABLE')]),
    'the service is overloaded',
    away,
    fcmReference,
  ),
  fcm(
    'bad gateway',
    502,
    googlePage(502),
    'Google’s front end answers with a page',
    away,
    'github.com/firebase/firebase-admin-go/issues/460',
  ),
  fcm('gateway timeout', 504, googlePage(504), 'Google’s front end answers with a page', away, 'github.com/beste/firebase-php/issues/988'),
  fcm('request timeout', 408, googlePage(408), 'the request came too slowly', away, 'RFC 9110 15.5.9'),
  web('gone', 410, 'push subscription has unsubscribed or expired.\n', 'the subscription has ended', dead, 'RFC 8030 7.3'),
  web('not found', 404, '', 'there is no such subscription', dead, 'RFC 8030 7.3'),
  web(
    'other key, Chrome',
    403,
    'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n',
    'the browser subscribed with another VAPID key',
    suspect,
    'github.com/web-push-libs/web-push/issues/941',
  ),
  web(
    'other key, Firefox',
    401,
    autopush(401, 109, 'Unauthorized', 'Request did not validate Invalid Authorization Header'),
    'the browser subscribed with another VAPID key, or the header is not valid',
    suspect,
    'github.com/mozilla-services/autopush/issues/1436',
  ),
  web('other key, Safari', 400, '{"reason":"VapidPkHashMismatch"}', 'the browser subscribed with another VAPID key', suspect, applePage, {
    host: 'push.apple.com',
  }),
  web(
    'bad JWT, Safari',
    403,
    '{"reason":"BadJwtToken"}',
    'the VAPID header is not valid',
    suspect,
    'github.com/web-push-libs/web-push/issues/947',
    {
      host: 'push.apple.com',
    },
  ),
  web(
    'ttl conflict, Windows',
    400,
    '',
    'a ttl of 0 without X-WNS-Cache-Policy: no-cache',
    suspect,
    'github.com/web-push-libs/pywebpush/issues/162',
    {
      host: 'notify.windows.com',
      headers: { 'x-wns-error-description': 'Ttl value conflicts with X-WNS-Cache-Policy.', 'x-wns-status': 'dropped' },
    },
  ),
  web('throttled, Windows', 406, '', 'too many pushes of this sender', slower, 'github.com/web-push-libs/web-push-csharp/issues/93', {
    host: 'notify.windows.com',
    headers: { 'retry-after': '900', 'x-wns-status': 'appthrottled', 'x-wns-notificationstatus': 'appthrottled' },
  }),
  web('throttled, Windows, without a wait', 406, '', 'too many pushes of this sender', slower, wnsPage, { host: 'notify.windows.com' }),
  web('too many requests', 429, '', 'too many pushes of this sender', slower, 'RFC 8030 8.4', { headers: { 'retry-after': '3' } }),
  web('unknown, with a wait', 420, '', 'a refusal that no table knows, with a Retry-After', slower, 'RFC 9110 10.2.3', {
    headers: { 'retry-after': '2' },
  }),
  web(
    'too large, Firefox for Android',
    413,
    autopush(413, 104, 'Payload Too Large', 'This message is intended for a constrained device and is limited in size.'),
    'the body is over what the bridge to the phone takes',
    ['bad', 'payload_too_large'],
    autopushPage,
  ),
  web('server error', 500, autopush(500, 999, 'Internal Server Error', 'Unknown error'), 'an error of the service', away, autopushPage),
  web(
    'use later, Firefox',
    503,
    autopush(503, 201, 'Service Unavailable', 'Use exponential back-off for retries'),
    'overload',
    away,
    autopushPage,
  ),
  web('bad gateway', 502, '', 'a proxy of the service has no answer', away, autopushPage),
  web('request timeout', 408, '', 'the request came too slowly', away, 'RFC 9110 15.5.9'),
  web('moved', 301, '', 'another address: never followed', bad, 'RFC 8030 5', { headers: { location: 'https://example.com/' } }),
]

/** Gives a known answer by its name; undefined when there is none. */
export const knownAnswer = (name: string): KnownAnswer | undefined => knownAnswers.find((one) => one.name === name)
