import { eraseUser } from '@herald/contracts/calls/webhooks'
import type { Audience } from '../audience.ts'
import { isAway } from '../sends/page-failure.ts'
import { deleteErasures, takeDueErasures, type Erasure } from './store/erasures.ts'

const atOnce = 50

/** Tells webhooks which users were erased, again and again until it has answered: bodies of its deliveries name them. */
export async function tellErasures({ db, bus, log }: Audience): Promise<{ took: number }> {
  const due = await takeDueErasures(db, atOnce)
  const tell = async (erasure: Erasure): Promise<string[]> => {
    try {
      await bus.call(eraseUser, erasure)
      return [erasure.userId]
    } catch (error) {
      // One that fails for reasons of its own is due again by itself, and stops no other.
      log[isAway(error) ? 'debug' : 'warn']({ userId: erasure.userId, err: error }, 'erasure not told yet')
      return []
    }
  }
  const told = (await Promise.all(due.map(tell))).flat()
  if (told.length > 0) await deleteErasures(db, told)
  return { took: due.length }
}
