import { afterAll } from 'vitest'
import { closeAll } from './at-end.ts'

// Vitest runs this file before each test file. Modules are loaded once for all test files of a process, so only here a hook belongs to the file that runs.
afterAll(closeAll)
