import {
  changeOwner,
  deleteSubscription,
  loginSubscription,
  logoutSubscription,
  patchSubscription,
  registerSubscription,
  rotateSubscription,
  startSession,
} from '@herald/contracts/calls/audience'
import { endpointProblem, type EndpointRule } from '@herald/contracts/destination'
import { invalidField } from '@herald/contracts/fault'
import { LoginBody, PatchSubscription, RegisterSubscription, RotateBody, SessionBody, UserChanges } from '@herald/contracts/subscription'
import { checkIdentity } from '../check-identity.ts'
import { LoggedIn, LoggedOut, OptedIn, OwnerChanged, Registered, Rotated, Session } from '../../http/answers.ts'
import { route } from '../../http/route.ts'

const forDevices = { key: 'public', scope: 'subscriptions:write' } as const

/**
 * Refuses an endpoint that is not at a push service which the rule allows: a host name that anybody may choose costs a DNS look-up and a connection
 * with every push.
 */
function refuseOtherHost(path: string, endpoint: string, rule: EndpointRule): void {
  const problem = endpointProblem(endpoint, rule)
  if (problem !== undefined) throw invalidField(path, problem)
}

/**
 * Makes a route that changes the tags and fields of the user who owns a device. There is one for PATCH and one for POST, which do the same
 * (spec: identity/change-user). Generated clients need a name for each.
 */
const changesOwner = ([method, name]: readonly ['patch' | 'post', string]) =>
  route({
    ...forDevices,
    name,
    method,
    path: '/v1/subscriptions/:id/user',
    limit: 'identity',
    body: UserChanges,
    status: 200,
    summary: 'Change the tags and fields of the user who owns a device',
    description: 'Tags merge, null deletes one. The change reaches every device of the user. PATCH and POST do the same.',
    answers: OwnerChanged,
    answer: ({ bus }, { appId, keyKind, params, body }) =>
      bus.call(changeOwner, { appId, subscriptionId: params.id, changes: body, keyKind }),
  })

export const subscriptions = [
  route({
    ...forDevices,
    name: 'registerSubscription',
    method: 'post',
    path: '/v1/subscriptions',
    limit: 'subscribe',
    body: RegisterSubscription,
    identified: true,
    status: 200,
    summary: 'Register a device',
    description:
      'Registers a device or finds it again. Call it on every start of the app; a device that was opted out or invalidated is revived.',
    answers: Registered,
    faults: ['limit_reached'],
    async answer(gateway, { appId, keyKind, body, header }) {
      if (body.platform === 'web') refuseOtherHost('endpoint', body.endpoint, gateway.endpointRule)
      await checkIdentity(gateway, { appId, keyKind, externalId: body.externalId, token: header('x-identity-token') })
      return gateway.bus.call(registerSubscription, { appId, subscription: body, keyKind })
    },
  }),
  route({
    ...forDevices,
    name: 'rotateSubscription',
    method: 'post',
    path: '/v1/subscriptions/rotate',
    limit: 'subscribe',
    body: RotateBody,
    status: 200,
    summary: 'Give a browser its new endpoint',
    description:
      'The device keeps its id. Another device that already has the new endpoint is removed. 404 when the old endpoint is unknown.',
    answers: Rotated,
    faults: ['not_found'],
    async answer({ bus, endpointRule }, { appId, body }) {
      refuseOtherHost('new.endpoint', body.new.endpoint, endpointRule)
      return bus.call(rotateSubscription, { appId, rotation: body })
    },
  }),
  route({
    ...forDevices,
    name: 'changeSubscription',
    method: 'patch',
    path: '/v1/subscriptions/:id',
    body: PatchSubscription,
    status: 200,
    summary: 'Change a device',
    description: 'What belongs to the device and not to its user; at least one field.',
    answers: OptedIn,
    answer: ({ bus }, { appId, params, body }) => bus.call(patchSubscription, { appId, subscriptionId: params.id, changes: body }),
  }),
  route({
    ...forDevices,
    name: 'deleteSubscription',
    method: 'delete',
    path: '/v1/subscriptions/:id',
    status: 204,
    summary: 'Remove a device',
    description: 'An anonymous user is deleted with the last device.',
    answer: ({ bus }, { appId, params }) => bus.call(deleteSubscription, { appId, subscriptionId: params.id }),
  }),
  route({
    ...forDevices,
    name: 'startSession',
    method: 'post',
    path: '/v1/subscriptions/:id/session',
    body: SessionBody,
    status: 200,
    summary: 'Say that the app came to the foreground',
    description: 'Counts a session when the one before began 30 minutes ago or earlier. The body may be left out.',
    answers: Session,
    answer: ({ bus }, { appId, params, body }) => bus.call(startSession, { appId, subscriptionId: params.id, session: body }),
  }),
  route({
    ...forDevices,
    name: 'loginSubscription',
    method: 'post',
    path: '/v1/subscriptions/:id/login',
    limit: 'identity',
    body: LoginBody,
    identified: true,
    status: 200,
    summary: 'Log a user in on a device',
    description: 'Names the anonymous user, or moves the device to the user who has this external id.',
    answers: LoggedIn,
    faults: ['limit_reached'],
    async answer(gateway, { appId, keyKind, params, body: { externalId }, header }) {
      await checkIdentity(gateway, { appId, keyKind, externalId, token: header('x-identity-token') })
      return gateway.bus.call(loginSubscription, { appId, subscriptionId: params.id, externalId, keyKind })
    },
  }),
  route({
    ...forDevices,
    name: 'logoutSubscription',
    method: 'post',
    path: '/v1/subscriptions/:id/logout',
    limit: 'identity',
    status: 200,
    summary: 'Log the user out of a device',
    description: 'The device goes to a new anonymous user without tags.',
    answers: LoggedOut,
    answer: ({ bus }, { appId, params }) => bus.call(logoutSubscription, { appId, subscriptionId: params.id }),
  }),
  ...(
    [
      ['patch', 'changeOwner'],
      ['post', 'changeOwnerByPost'],
    ] as const
  ).map(changesOwner),
]
