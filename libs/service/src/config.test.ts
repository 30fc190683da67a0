import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { readSettings, whole } from './config.ts'

const schema = z.object({ SIZE: whole(8, { min: 2 }), SECRET: z.string() })
function given(environment: Record<string, string>) {
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
}

// spec: running/own-settings
test('a setting that names a service is for that service alone, and takes precedence over the setting for all', () => {
  given({ SIZE: '4', SIZE_TRACKER: '6', SECRET: 'for all', SECRET_AUDIENCE: 'of audience' })

  expect(readSettings(schema, 'tracker').value).toEqual({ SIZE: 6, SECRET: 'for all' })
  expect(readSettings(schema, 'audience').value).toEqual({ SIZE: 4, SECRET: 'of audience' })
  expect(readSettings(schema).value).toEqual({ SIZE: 4, SECRET: 'for all' })
})

// spec: running/environment
test('every wrong setting is named as the operator wrote it, without its value', () => {
  given({ SIZE_TRACKER: '1' })

  const { value, problems } = readSettings(schema, 'tracker')
  expect(value).toBeUndefined()
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/^  SIZE_TRACKER: Too small/)
  expect(problems[1]).toBe('  SECRET: is required')
})
