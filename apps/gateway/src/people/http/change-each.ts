import { changeUsers } from '@herald/contracts/calls/audience'
import { Fault, faultStatus } from '@herald/contracts/fault'
import { UserInBatch } from '@herald/contracts/user-batch'
import { parseBody } from '@herald/contracts/validate'
import type { Bus } from '@herald/service/bus'
import { refusedItem, type ItemResult } from '../../core/items.ts'

export type ChangedItem = ItemResult<{ id: string; created: boolean }>

/** Changes the valid users of a batch, all in one transaction of audience. The results are in the order of the items. */
export async function changeEach(bus: Pick<Bus, 'call'>, appId: string, items: unknown[]): Promise<ChangedItem[]> {
  const results: ChangedItem[] = []
  const valid: { index: number; user: UserInBatch }[] = []
  items.forEach((item, index) => {
    try {
      valid.push({ index, user: parseBody(UserInBatch, item) })
    } catch (error) {
      if (!Fault.is(error)) throw error
      results[index] = refusedItem('users', index, error)
    }
  })
  if (valid.length === 0) return results

  const { users } = await bus.call(changeUsers, { appId, users: valid.map(({ user }) => user) })
  valid.forEach(({ index }, place) => {
    const answer = users[place]
    if (answer === undefined) throw new Error(`${valid.length} users were answered with ${users.length}`)
    results[index] =
      'fault' in answer
        ? refusedItem('users', index, { ...answer.fault, status: faultStatus[answer.fault.code] })
        : { index, status: 200, ...answer }
  })
  return results
}
