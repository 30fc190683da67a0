import { expect, test } from 'vitest'
import { holdAtMost } from './hold-at-most.ts'

test('a request beyond the bound of work is refused until other work ended; a larger one goes alone', async () => {
  const release: (() => void)[] = []
  const write = holdAtMost<number, string>(
    async (size) => {
      await new Promise<void>((resolve) => release.push(resolve))
      return `wrote ${size}`
    },
    { weigh: (size) => size, most: 10 },
  )
  const held = [write(6), write(4)]
  await expect(write(1)).rejects.toMatchObject({ code: 'queue_unavailable' })

  release[0]?.()
  expect(await held[0]).toBe('wrote 6')
  const next = write(5)
  release.forEach((go) => go())
  expect(await Promise.all([held[1], next])).toEqual(['wrote 4', 'wrote 5'])

  const large = write(11)
  release.forEach((go) => go())
  expect(await large).toBe('wrote 11')
})
