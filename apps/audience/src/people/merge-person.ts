import { maxTagsPerUser, tooManyTags } from './core/identity.ts'
import type { PersonChanges } from './core/person.ts'
import type { Db } from '../store/tables.ts'
import { mergeUser } from './store/users.ts'

/** Merges changes into a user: tags of null are deleted, the others written. Fault: `invalid_body` at `tags` (101st tag). */
export async function mergePerson(db: Db, userId: string, changes: PersonChanges, by: 'device' | 'backend'): Promise<void> {
  if ((await mergeUser(db, userId, changes, by)) > maxTagsPerUser) throw tooManyTags()
}
