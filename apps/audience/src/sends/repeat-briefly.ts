import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@herald/contracts/fault'

const afterMs = [100, 300, 600] as const

/**
 * Makes a call, and repeats it within a second when it is answered `database_unavailable`: services find their databases back up to half a second
 * apart, and the sweep would come 5 s late. It throws other errors at once.
 */
export async function repeatedBriefly<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (const pauseMs of afterMs) {
    try {
      return await call()
    } catch (error) {
      if (!Fault.is(error, 'database_unavailable')) throw error
    }
    await sleep(pauseMs)
  }
  return call()
}
