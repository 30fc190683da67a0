import { registerSubscription } from '@herald/contracts/calls/audience'
import { platforms } from '@herald/contracts/platform'
import { RegisterSubscription } from '@herald/contracts/subscription'
import { z } from 'zod'
import { checkIdentity } from '../check-identity.ts'
import { Id } from './answers.ts'
import { route } from './route.ts'

export const subscriptions = [
  route({
    name: 'registerSubscription',
    method: 'post',
    path: '/v1/subscriptions',
    key: 'public',
    scope: 'subscriptions:write',
    limit: 'subscribe',
    body: RegisterSubscription,
    status: 200,
    summary: 'Register a device',
    description:
      'Registers a device or finds it again. Calling it on every start of the app is right; a device that was opted out or dead is revived.',
    answers: z.object({ id: Id, platform: z.enum(platforms), userId: Id }),
    faults: ['limit_reached'],
    async answer(gateway, { appId, keyKind, body, header }) {
      await checkIdentity(gateway, { appId, keyKind, externalId: body.externalId, token: header('x-identity-token') })
      return gateway.bus.call(registerSubscription, { appId, subscription: body })
    },
  }),
]
