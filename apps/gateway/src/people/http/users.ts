import { changeUser, deleteUser, readUser } from '@herald/contracts/calls/audience'
import { notFound } from '@herald/contracts/fault'
import { UserChanges } from '@herald/contracts/subscription'
import { ExternalId } from '@herald/contracts/text'
import { User, type UserAddress } from '@herald/contracts/user'
import { mostUsersInBatch, UserInBatch } from '@herald/contracts/user-batch'
import { parseBody } from '@herald/contracts/validate'
import { z } from 'zod'
import { changeEach } from './change-each.ts'
import { UsersChanged } from '../../http/answers.ts'
import { route } from '../../http/route.ts'

const reads = { key: 'secret', scope: 'users:read' } as const
const writes = { key: 'secret', scope: 'users:write' } as const

/** A path names a user by id or by external id (spec: identity/read-user, identity/change-user, identity/erase-user). */
export const byId = {
  path: '/v1/users/:id',
  suffix: '',
  texts: [],
  address: ({ id = '' }: Params): UserAddress => ({ userId: id }),
} as const
export const byExternalId = {
  path: '/v1/users/by-external-id/:externalId',
  suffix: 'ByExternalId',
  texts: ['externalId'],
  address: ({ externalId = '' }: Params): UserAddress => {
    // No user can have an external id that is not valid.
    if (!ExternalId.safeParse(externalId).success) throw notFound()
    return { externalId }
  },
} as const
type Params = { id?: string; externalId?: string }

export const NamedUser = z.strictObject({ externalId: ExternalId })

/** The items are checked later, one by one, so that the others are changed when one is wrong. */
const Batch = z.strictObject({ users: z.array(z.unknown()).min(1).max(mostUsersInBatch) })
const ShownBatch = z.strictObject({ users: z.array(UserInBatch).min(1).max(mostUsersInBatch) })

const batch = route({
  ...writes,
  name: 'changeUsers',
  method: 'post',
  path: '/v1/users/batch',
  body: Batch,
  shownBody: ShownBatch,
  status: 200,
  summary: 'Change up to 500 users',
  description:
    'Each item names a user by `externalId` or `userId` and merges into them as PATCH does; an unknown external id makes a user. ' +
    'A wrong item leaves the others alone: read `results`, where `index` is the place in the request. The others are one transaction, and a repeat changes nothing.',
  answers: UsersChanged,
  answer: async ({ bus }, { appId, body }) => ({ results: await changeEach(bus, appId, body.users) }),
})

const single = [byId, byExternalId].flatMap(({ path, suffix, texts, address }) => [
  route({
    ...reads,
    name: `readUser${suffix}`,
    method: 'get',
    path,
    texts,
    status: 200,
    summary: 'Read a user with all devices',
    description: 'Tokens show their last characters only.',
    answers: User,
    faults: ['not_found'],
    answer: ({ bus }, { appId, params }) => bus.call(readUser, { appId, user: address(params) }),
  }),
  route({
    ...writes,
    name: `changeUser${suffix}`,
    method: 'patch',
    path,
    texts,
    body: UserChanges,
    status: 200,
    summary: 'Change a user',
    description:
      path === byId.path
        ? 'Tags merge, null deletes one; at least one field.'
        : 'Tags merge, null deletes one; at least one field. An unknown external id makes a user without devices; a later login finds it.',
    answers: User,
    faults: ['not_found'],
    async answer({ bus }, { appId, params, body }) {
      // An unknown external id makes a user, so it must be as valid as one in a body.
      if (path === byExternalId.path) parseBody(NamedUser, params)
      return bus.call(changeUser, { appId, user: address(params), changes: body })
    },
  }),
  route({
    ...writes,
    name: `deleteUser${suffix}`,
    method: 'delete',
    path,
    texts,
    status: 204,
    summary: 'Erase a user',
    description: 'Deletes the user and all devices. Past events keep ids only.',
    faults: ['not_found'],
    answer: ({ bus }, { appId, params }) => bus.call(deleteUser, { appId, user: address(params) }),
  }),
])

/** The batch comes first, because `/v1/users/:id` would match `/v1/users/batch` too. */
export const users = [batch, ...single]
