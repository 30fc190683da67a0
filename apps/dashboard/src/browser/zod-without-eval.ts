import { config } from 'zod'

// Keeps Zod from trying whether it may make functions from text, with which it would check faster. The content security policy forbids that in a
// page, and the browser would report even the try.
config({ jitless: true })
