import { config } from 'zod'

// Zod tries whether it may make functions of texts, to check faster. A page may not, and its content security policy would report the try.
config({ jitless: true })
