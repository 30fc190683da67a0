import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import type { Bus } from '@herald/service/bus'
import { expect, test } from 'vitest'
import { openAudience } from '../testing/rig.ts'

const { dispatcher, startProcess } = await openAudience()
await startProcess()
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)

// spec: conversions/own-pushes
test('a conversion’s user is found by id, external id or device, with all devices, in the same app alone', async () => {
  const appId = newId()
  const register = (token: string, externalId?: string) =>
    call(calls.registerSubscription, { appId, subscription: { platform: 'ios', token, ...(externalId && { externalId }) } })
  const phone = await register('phone', 'ann')
  const tablet = await register('tablet', 'ann')
  const sold = await register('sold', 'ann')
  await call(calls.loginSubscription, { appId, subscriptionId: sold.id, externalId: 'bob' })
  const nobody = await register('nobody')

  const ask = (of: string) =>
    call(calls.findConverters, {
      appId: of,
      users: [
        { externalId: 'ann' },
        { userId: phone.userId },
        { subscriptionId: tablet.id },
        { subscriptionId: sold.id },
        { subscriptionId: nobody.id },
        { externalId: 'carl' },
        { userId: newId() },
      ],
    })
  const { users } = await ask(appId)
  const ann = { userId: phone.userId, subscriptionIds: [phone.id, tablet.id, sold.id].toSorted() }
  const inOrder = users.map((user) => user && { ...user, subscriptionIds: user.subscriptionIds.toSorted() })
  expect(inOrder.slice(0, 3)).toEqual([ann, ann, ann])
  expect(inOrder[3]).toEqual({ userId: expect.not.stringMatching(phone.userId) as string, subscriptionIds: [sold.id] })
  expect(inOrder.slice(4)).toEqual([{ userId: nobody.userId, subscriptionIds: [nobody.id] }, null, null])
  expect((await ask(newId())).users).toEqual(users.map(() => null))
})
