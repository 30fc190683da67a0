import { checkConformance } from '../testing/check-conformance.ts'

await checkConformance('own', { isBehindNode: true })
