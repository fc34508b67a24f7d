import type { Importer } from '../server/importers.ts'
import { organisationImporter } from './organisations/server/importer.ts'
import { userImporter } from './users/server/importer.ts'

/** Everything that can be imported from a file, one line per domain. */
export const importers: readonly Importer[] = [organisationImporter, userImporter]
