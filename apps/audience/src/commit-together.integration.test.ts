import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { insertUser } from './people/store/users.ts'
import { openAudience } from './testing/rig.ts'

const { audience, db } = await openAudience()

test('when one of several transactions that are committed together fails, the others succeed, and none is done twice', async () => {
  const appId = newId()
  const users = Array.from({ length: 20 }, () => newId())

  const settled = await Promise.allSettled(
    users.map((id, index) =>
      audience.commit({ campaignId: newId(), appId }, async (trx) => {
        await insertUser(trx, { id, appId, externalId: null })
        if (index === 7) throw new Error('this one cannot')
        return index
      }),
    ),
  )

  expect(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toEqual(
    users.map((_, index) => index).filter((index) => index !== 7),
  )
  const kept = await db.selectFrom('users').select('id').where('app_id', '=', appId).execute()
  expect(kept.map(({ id }) => id).toSorted()).toEqual(users.filter((_, index) => index !== 7).toSorted())
})
