import { expect, test } from 'vitest'
import { openLifecycle } from './lifecycle.ts'

test('a stopping service first takes no more work, then closes what it opened, last first, also after failures', async () => {
  const lifecycle = openLifecycle()
  const seen: string[] = []
  const does = (what: string) => () => void seen.push(what)
  lifecycle.onStop('pool', does('pool'))
  lifecycle.beforeStop('consumers', does('no more messages'))
  lifecycle.onStop('consumers', does('consumers'))
  lifecycle.onStop('broken', () => {
    throw new Error('broken')
  })
  lifecycle.onStop('sweep', does('sweep'))

  await lifecycle.stop((what) => seen.push(`${what} failed`))

  expect(seen).toEqual(['no more messages', 'sweep', 'broken failed', 'consumers', 'pool'])
})

test('a service is ready once it has started and has what it needs, and never again once it stops', async () => {
  const lifecycle = openLifecycle()
  let isUp = false
  lifecycle.needs('database', () => isUp)

  expect(lifecycle.waitingFor()).toEqual(['start', 'database'])
  lifecycle.started()
  expect(lifecycle.waitingFor()).toEqual(['database'])
  isUp = true
  expect(lifecycle.waitingFor()).toEqual([])
  await lifecycle.stop(() => undefined)
  lifecycle.started()
  expect(lifecycle.waitingFor()).toEqual(['stop'])
})
