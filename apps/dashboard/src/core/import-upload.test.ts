import { expect, test } from 'vitest'
import { mostTries, partBytes, sendFile, type Standing, type Upload } from './import-upload.ts'

const passing = new Error('away')
const isPassing = (error: unknown): boolean => error === passing

/**
 * Stands in for Herald, which stores only complete rows. A row has `row` bytes. Each of `failures` makes one request fail: `before` its bytes are
 * stored, or `after` that.
 */
function given({ size, row, failures = [] }: { size: number; row: number; failures?: ('before' | 'after')[] }) {
  let at: Standing = { offset: 0, state: 'receiving' }
  const sent: [from: number, to: number][] = []
  const waits: number[] = []
  const upload: Upload<Standing> = {
    size,
    isPassing,
    async put(from, to) {
      if (from !== at.offset) throw new Error(`the import is at ${at.offset}`)
      const failure = failures.shift()
      if (failure === 'before') throw passing
      sent.push([from, to])
      at = { ...at, offset: Math.floor(to / row) * row }
      if (failure === 'after') throw passing
      return at
    },
    read: async () => at,
    finish: async () => (at = { offset: size, state: 'finished' }),
    wait: async (ms) => void waits.push(ms),
    onReport: () => undefined,
  }
  return { upload, sent, waits, begin: () => sendFile(upload, at) }
}

test('a file is sent in parts, each from the last complete row on, and then the import is finished', async () => {
  const size = 3 * partBytes + 10
  const { begin, sent } = given({ size, row: 1000 })
  expect(await begin()).toEqual({ offset: size, state: 'finished' })
  expect(sent[0]).toEqual([0, partBytes])
  for (const [begun] of sent) expect(begun % 1000).toBe(0)
  expect(sent.at(-1)?.[1]).toBe(size)
})

// spec: dashboard/import-upload
test('after a part or its answer is lost, the page asks how many bytes Herald has and goes on there', async () => {
  const { begin, sent, waits } = given({ size: 3 * partBytes, row: 7, failures: ['before', 'after', 'before'] })
  expect((await begin()).state).toBe('finished')
  expect(waits).toEqual([500, 1000, 2000])
  for (let place = 1; place < sent.length; place += 1) expect(sent[place]?.[0]).toBe(Math.floor((sent[place - 1]?.[1] ?? 0) / 7) * 7)
})

test('a row that does not fit into a part is sent in a larger part', async () => {
  const { begin, sent } = given({ size: 4 * partBytes, row: 3 * partBytes })
  expect((await begin()).state).toBe('finished')
  expect(sent[1]).toEqual([0, 2 * partBytes])
})

// spec: dashboard/import-upload
test('sending a file ends with an error when Herald stays away, and at once when Herald refuses a part', async () => {
  const away = given({ size: 10, row: 1, failures: Array(100).fill('before') })
  await expect(away.begin()).rejects.toBe(passing)
  expect(away.waits).toHaveLength(mostTries)
  const refused = new Error('the header is wrong')
  const { upload } = given({ size: 10, row: 1 })
  await expect(sendFile({ ...upload, put: () => Promise.reject(refused) }, { offset: 0, state: 'receiving' })).rejects.toBe(refused)
})

test('when an import was cancelled elsewhere, the page sends nothing more of its file', async () => {
  const { upload, sent } = given({ size: 10, row: 1, failures: ['before'] })
  const cancelled: Standing = { offset: 0, state: 'cancelled' }
  expect(await sendFile({ ...upload, read: async () => cancelled }, { offset: 0, state: 'receiving' })).toBe(cancelled)
  expect(sent).toEqual([])
})

test('when Herald has the whole file already, the page only finishes the import', async () => {
  const { upload, sent } = given({ size: 10, row: 1 })
  expect((await sendFile(upload, { offset: 10, state: 'receiving' })).state).toBe('finished')
  expect(sent).toEqual([])
})
