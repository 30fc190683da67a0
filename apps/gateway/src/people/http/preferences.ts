import { verifyMessageId } from '@herald/auth/message-id'
import { PreferenceChanges } from '@herald/contracts/category'
import { fault } from '@herald/contracts/fault'
import { parseBody } from '@herald/contracts/validate'
import { ShownPreferences } from '../../http/answers.ts'
import { route } from '../../http/route.ts'
import { changePreferences, leaveByPush, readPreferences } from '../change-preferences.ts'
import { byExternalId, byId, NamedUser } from './users.ts'

const forDevices = { key: 'public', scope: 'subscriptions:write' } as const
const ofDevice = '/v1/subscriptions/:id/preferences'
const reads = { key: 'secret', scope: 'users:read' } as const
const writes = { key: 'secret', scope: 'users:write' } as const

const summaries = {
  read: 'Read which categories a person is in',
  change: 'Let a person join or leave categories',
} as const
const howToChange =
  'Changes the categories that the body names: true joins, false leaves, null takes the own choice back, so that the default of the category holds. ' +
  'The choice holds for all devices of the person. A locked category is 422.'

const ofUsers = [byId, byExternalId].flatMap(({ path, suffix, texts, address }) => [
  route({
    ...reads,
    name: `readPreferences${suffix}`,
    method: 'get',
    path: `${path}/preferences`,
    texts,
    status: 200,
    summary: summaries.read,
    answers: ShownPreferences,
    answer: ({ bus }, { appId, params }) => readPreferences(bus, { appId, of: address(params) }),
  }),
  route({
    ...writes,
    name: `changePreferences${suffix}`,
    method: 'patch',
    path: `${path}/preferences`,
    texts,
    body: PreferenceChanges,
    status: 200,
    summary: summaries.change,
    description: path === byId.path ? howToChange : `${howToChange} An unknown external id makes a user without devices.`,
    answers: ShownPreferences,
    answer({ bus }, { appId, params, body, keyKind }) {
      // An unknown external id makes a user, so it must be as valid as one in a body.
      if (path === byExternalId.path) parseBody(NamedUser, params)
      return changePreferences(bus, { appId, of: address(params), changes: body, keyKind })
    },
  }),
])

export const preferences = [
  route({
    ...forDevices,
    name: 'readPreferencesOfDevice',
    method: 'get',
    path: ofDevice,
    status: 200,
    summary: 'Read which categories the owner of a device is in',
    answers: ShownPreferences,
    answer: ({ bus }, { appId, params }) => readPreferences(bus, { appId, of: { subscriptionId: params.id } }),
  }),
  route({
    ...forDevices,
    name: 'changePreferencesOfDevice',
    method: 'patch',
    path: ofDevice,
    body: PreferenceChanges,
    status: 200,
    summary: 'Let the owner of a device join or leave categories',
    description: howToChange,
    answers: ShownPreferences,
    answer: ({ bus }, { appId, params, body, keyKind }) =>
      changePreferences(bus, { appId, of: { subscriptionId: params.id }, changes: body, keyKind }),
  }),
  ...ofUsers,
]

/** What List-Unsubscribe is to mail. */
export const oneTap = [
  route({
    name: 'leaveCategory',
    method: 'post',
    path: '/v1/u/:msgId',
    key: 'none',
    limit: 'event',
    anyOrigin: true,
    texts: ['msgId'],
    status: 204,
    summary: 'Leave the category of a push with one tap',
    description:
      'The signed msgId is the credential. The user of the push leaves the category of its campaign, until 30 days after the send. ' +
      'Without a category that can be left nothing happens, and the answer is the same.',
    faults: ['invalid_msg_id'],
    async answer({ bus, hmacSecrets }, { params }) {
      const push = verifyMessageId(hmacSecrets, params.msgId)
      if (!push) throw fault('invalid_msg_id', 'The msgId is not one of ours.')
      await leaveByPush(bus, push)
    },
  }),
]
