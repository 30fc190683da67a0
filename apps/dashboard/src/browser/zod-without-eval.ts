import { config } from 'zod'

// To check faster, Zod tries whether it may make functions from text. The content security policy forbids that in a page, and would report the try.
config({ jitless: true })
