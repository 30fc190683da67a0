import { z } from 'zod'
import { Presentation } from './send-fields.ts'
import { CategoryId, name, sentence } from './text.ts'

/** An app has at most this many categories (spec: categories/limit). */
export const mostCategories = 50
/** With one tap a person can leave a category until this many days after the send has ended (spec: categories/one-tap). */
export const oneTapDays = 30

/** Who is in a category without a choice of their own: everybody or nobody. */
const CategoryDefault = z.enum(['in', 'out'])

/** The body of PUT …/categories/:id, which replaces the complete category. */
export const SaveCategory = z.strictObject({
  name: name(120),
  description: sentence(1, 500).nullable().optional(),
  default: CategoryDefault,
  locked: z.boolean().optional(),
  presentation: Presentation.nullable().optional(),
})
export type SaveCategory = z.output<typeof SaveCategory>

/** The body of POST …/categories: the caller chooses the id, which sends then name. */
export const CreateCategory = z.strictObject({ id: CategoryId, ...SaveCategory.shape })
export type CreateCategory = z.output<typeof CreateCategory>

const Time = z.iso.datetime()

/** A category of notifications, which people may join or leave (spec: categories/fields). Nobody can leave a `locked` one. */
export const Category = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  default: CategoryDefault,
  locked: z.boolean(),
  presentation: Presentation.nullable(),
  createdAt: Time,
  updatedAt: Time,
})
export type Category = z.infer<typeof Category>

/** The category of a send as it was when the send was asked for (spec: categories/frozen). */
export type FrozenCategory = Pick<Category, 'id' | 'default' | 'locked'>

/** A person's own choices, by the id of the category. A category without a choice has its default. */
export const Choices = z.record(z.string(), z.boolean())
export type Choices = z.infer<typeof Choices>

/** Gives a person's own choice; undefined when there is none. A category may be named like a member of every object, such as `constructor`. */
export const choiceOf = (choices: Choices, id: string): boolean | undefined => (Object.hasOwn(choices, id) ? choices[id] : undefined)

/** Whether a person is in a category: by the own choice, else by the default. Nobody is outside a locked one. */
export const isSubscribed = (category: Pick<Category, 'default' | 'locked'>, choice: boolean | null | undefined): boolean =>
  category.locked || (choice ?? category.default === 'in')

/** The body of PATCH …/preferences. Null takes the own choice back, so that the default holds again. */
export const PreferenceChanges = z
  .strictObject({ categories: z.record(CategoryId, z.boolean().nullable()) })
  .refine(({ categories }) => Object.keys(categories).length > 0, { message: 'must hold at least one category', path: ['categories'] })
  .refine(({ categories }) => Object.keys(categories).length <= mostCategories, {
    message: `must hold at most ${mostCategories} categories`,
    path: ['categories'],
  })
export type PreferenceChanges = z.output<typeof PreferenceChanges>

/** What a person gets to see of the app's categories, in the order in which they were made. */
export const ShownPreferences = z.object({
  categories: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      subscribed: z.boolean(),
      locked: z.boolean().meta({ description: 'Nobody can leave it.' }),
    }),
  ),
})
export type ShownPreferences = z.infer<typeof ShownPreferences>

/** Shows an app's categories to a person with these choices. */
export const showPreferences = (categories: readonly Category[], choices: Choices): ShownPreferences => ({
  categories: categories.map((category) => {
    const { id, name: title, description, locked } = category
    return { id, name: title, description, subscribed: isSubscribed(category, choiceOf(choices, id)), locked }
  }),
})
