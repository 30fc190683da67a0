import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { openAudience } from '../../testing/rig.ts'
import { lockCircuits, lockOpenCircuits, nameOfCircuit, writeCircuits } from './circuits.ts'

const { db } = await openAudience()

test('a take of batches locks the open circuits of its apps and platforms alone, and waits for no others', async () => {
  const [app, other] = [newId(), newId()]
  const keys = [app, other].flatMap((appId) =>
    (['ios', 'android'] as const).map((platform) => ({ appId, platform, environment: 'production' as const })),
  )
  // The iOS circuit of the app stays closed.
  const toOpen = (await lockCircuits(db, keys)).filter(({ appId, platform }) => appId === other || platform === 'android')
  await writeCircuits(
    db,
    toOpen.map((circuit) => ({ ...circuit, state: 'open', code: 'credentials_invalid', since: new Date() })),
  )

  const asked = [
    { appId: app, platform: 'ios' as const },
    { appId: app, platform: 'android' as const },
  ]
  const locked = await lockOpenCircuits(db, asked)
  expect(locked.map(nameOfCircuit)).toEqual([nameOfCircuit({ appId: app, platform: 'android', environment: 'production' })])
})
