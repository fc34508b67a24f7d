import type { Importer } from '../server/importers.ts'
import { boardImporter } from './boards/server/importer.ts'
import { deviceImporter } from './devices/server/importer.ts'
import { assignmentImporter } from './distribution/server/importer.ts'
import { organisationImporter } from './organisations/server/importer.ts'
import { userImporter } from './users/server/importer.ts'

/** Everything that can be imported from a file, one line per domain. */
export const importers: readonly Importer[] = [assignmentImporter, boardImporter, deviceImporter, organisationImporter, userImporter]
