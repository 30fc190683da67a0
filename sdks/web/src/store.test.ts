import { IDBFactory } from 'fake-indexeddb'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openStore } from './store.ts'

beforeEach(() => vi.stubGlobal('indexedDB', new IDBFactory()))
afterEach(() => vi.unstubAllGlobals())

test('the next page reads what an earlier page stored, separately for each scope of a service worker', async () => {
  await openStore('https://shop.example/')((kept) => void (kept.out = true))
  expect((await openStore('https://shop.example/')()).out).toBe(true)
  expect((await openStore('https://shop.example/other/')()).out).toBeUndefined()
})

test('when two tabs change the stored record at the same time, no change is lost', async () => {
  const [one, other] = [openStore('s'), openStore('s')]
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other)((kept) => void (kept.refusedAt = [...(kept.refusedAt ?? []), n]))),
  )
  expect((await one()).refusedAt?.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n))
})

test.each([
  ['refuses', () => void vi.stubGlobal('indexedDB', undefined)],
  ['never answers', () => void vi.stubGlobal('indexedDB', { open: () => ({}) })],
])('when the browser’s storage %s, the SDK keeps its record in memory, which a reader’s copy cannot change', async (_, block) => {
  block()
  const store = openStore('s')
  await store((kept) => void (kept.key = 'a'))
  const seen = await store()
  seen.key = 'changed by the reader'
  expect((await store()).key).toBe('a')
})

test('a change that was made in memory because the storage was slow is not made again when the storage answers', async () => {
  const real = indexedDB
  let release = () => undefined as void
  const held = new Promise<void>((resolve) => (release = resolve))
  vi.stubGlobal('indexedDB', {
    open(name: string) {
      const request = { result: undefined as unknown, onsuccess: () => undefined, onupgradeneeded: () => undefined }
      const answer = async () => {
        await held
        const opening = real.open(name)
        opening.onupgradeneeded = () => {
          request.result = opening.result
          request.onupgradeneeded()
        }
        opening.onsuccess = () => {
          request.result = opening.result
          request.onsuccess()
        }
      }
      void answer()
      return request
    },
  })
  const store = openStore('s')
  expect((await store((kept) => void (kept.refusedAt = [1]))).refusedAt).toEqual([1])
  release()
  vi.stubGlobal('indexedDB', real)
  await vi.waitFor(async () => expect((await real.databases()).length).toBe(1))
  expect((await openStore('s')()).refusedAt).toBeUndefined()
})
