import { checkConformance } from '../testing/check-conformance.ts'

await checkConformance('library', { isBehindNode: true })
