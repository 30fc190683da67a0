import { failsEverybody } from '@herald/service/health'

/**
 * Runs work for all due rows together; after an error for each alone (`only`), so that one bad row holds up no other, and calls `failed` for those
 * that fail again. Throws an error that each would meet.
 */
export async function orEachAlone<Done>(
  work: (only?: string) => Promise<Done>,
  findDue: () => Promise<string[]>,
  failed: (id: string, error: unknown) => unknown,
): Promise<Done[]> {
  try {
    return [await work()]
  } catch (together) {
    if (failsEverybody(together)) throw together
    const done: Done[] = []
    for (const id of await findDue()) {
      try {
        done.push(await work(id))
      } catch (error) {
        if (failsEverybody(error)) throw error
        await failed(id, error)
      }
    }
    return done
  }
}
