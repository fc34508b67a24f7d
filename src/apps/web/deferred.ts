import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** How a part of antd waits: the function of src/web/deferred.tsx that stands in for it until somebody reaches for it. */
type Stand = 'whenOpen' | 'onUse' | 'onTouch' | 'inPlace' | 'whenSpinning' | 'hint' | 'filterHead'
type Rule = { readonly stand: Stand; readonly parts?: readonly string[] }

const overlay: Rule = { stand: 'whenOpen' }
const popup: Rule = { stand: 'onUse' }
const field: Rule = { stand: 'onTouch' }
const inPlace: Rule = { stand: 'inPlace' }
const dates: Rule = { stand: 'onTouch', parts: ['RangePicker', 'MonthPicker', 'WeekPicker', 'QuarterPicker', 'YearPicker', 'TimePicker'] }

/** Importing file of antd to what it imports; `index` is what pages import from 'antd'. */
const rules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  index: {
    modal: overlay,
    drawer: overlay,
    dropdown: popup,
    popover: popup,
    select: field,
    cascader: field,
    'tree-select': field,
    'date-picker': dates,
    tooltip: { stand: 'hint' },
    'input-number': inPlace,
  },
  'input/index': { 'input/OTP': inPlace, 'input/Search': inPlace, 'input/Password': inPlace, 'input/TextArea': inPlace },
  'pagination/Pagination': { select: field },
  'config-provider/index': { 'tooltip/UniqueProvider': inPlace },
  'table/InternalTable': { spin: { stand: 'whenSpinning' }, 'table/RcTable/VirtualTable': inPlace },
  'table/hooks/useSelection': { dropdown: popup, radio: inPlace },
  'table/hooks/useSorter': { tooltip: { stand: 'hint' } },
  'table/hooks/useFilter/index': { 'table/hooks/useFilter/FilterDropdown': { stand: 'filterHead' } },
}

const prefix = '\0huodao-deferred:'
const runtime = fileURLToPath(new URL('../../web/deferred.tsx', import.meta.url))
const antd = fileURLToPath(new URL('../../../node_modules/antd/es/', import.meta.url))
const rc = fileURLToPath(new URL('../../../node_modules/@rc-component/', import.meta.url))
/** What antd is made of; not a dependency of ours. */
const scope = '@rc-component'
const form = `${rc}form/es/FormContext.js`
const slices: Readonly<Record<string, readonly (readonly [names: string, file: string])[]>> = {
  tree: [
    ['arrAdd, arrDel', 'tree/es/util'],
    ['conductCheck', 'tree/es/utils/conductUtil'],
    ['convertDataToEntities', 'tree/es/utils/treeUtil'],
  ],
  table: [
    ['EXPAND_COLUMN, INTERNAL_HOOKS', 'table/es/constant'],
    ['FooterComponents as Summary', 'table/es/Footer/index'],
    ['default as Column', 'table/es/sugar/Column'],
    ['default as ColumnGroup', 'table/es/sugar/ColumnGroup'],
    ['genTable', 'table/es/Table'],
    ['INTERNAL_COL_DEFINE', 'table/es/utils/legacyUtil'],
    ['convertChildrenToColumns', 'table/es/hooks/useColumns/index'],
  ],
}

const direction = 'huodao-antd:'
const barrel = /^import \{([^}]*)\} from 'antd'$/gm
/** `{ Button, DatePicker, type TableProps }`: one import per part, so that the chunks can be told apart. */
function direct(names: string): string {
  const all = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
  return all
    .map((name) => {
      const [own = '', local = own] = name.split(' as ')
      return `import ${local} from '${direction}${own.replace(/(?<=[a-z])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, '-$&').toLowerCase()}'`
    })
    .join('; ')
}

const fileOf = (target: string): string => (existsSync(`${antd}${target}.js`) ? `${antd}${target}.js` : `${antd}${target}/index.js`)

/**
 * The first view of a list needs a fraction of antd: what opens on demand loads on demand, without a word of it in the pages,
 * which import from 'antd' as everywhere. Only in the build; development runs the whole of antd.
 */
export const deferredAntd = (): Plugin => ({
  name: 'huodao-deferred-antd',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    return /\/src\/[^?]*\.tsx?$/.test(id) && code.includes("from 'antd'")
      ? { code: code.replace(barrel, (_all, names: string) => direct(names)), map: null }
      : null
  },
  resolveId(source, importer) {
    const page = source.startsWith(direction) && !importer?.startsWith(prefix) ? source.slice(direction.length) : null
    if (page !== null) return rules.index?.[page] ? `${prefix}index|${page}` : `${antd}${page}/index.js`
    const from = importer?.startsWith(antd) ? importer.slice(antd.length).replace(/\.js$/, '') : null
    if (from === null) return null
    // The provider alone, not the whole form with its validator.
    if (from === 'form/context' && source === `${scope}/form`) return form
    // Everything of the table but its virtual scrolling, which it would start on import.
    if (source === `${scope}/table` && from !== 'table/RcTable/VirtualTable') return `${prefix}table`
    // Three functions of the tree, not the tree.
    if (from === 'table/hooks/useSelection' && source === `${scope}/tree`) return `${prefix}tree`
    if (!source.startsWith('.')) return null
    const target = posix.join(posix.dirname(from), source)
    const rule = rules[from]?.[target]
    return rule ? `${prefix}${from}|${target}` : null
  },
  load(id) {
    if (!id.startsWith(prefix)) return null
    const slice = slices[id.slice(prefix.length)]
    if (slice) return slice.map(([names, file]) => `export { ${names} } from ${JSON.stringify(`${rc}${file}.js`)}`).join('\n')
    const [from = '', target = ''] = id.slice(prefix.length).split('|')
    const { stand, parts = [] } = rules[from]?.[target] ?? inPlace
    const name = JSON.stringify(target)
    return [
      `import { ${stand} } from ${JSON.stringify(runtime)}`,
      `const load = () => import(${JSON.stringify(fileOf(target))})`,
      `const Part = ${stand}(load, ${name})`,
      ...parts.map((part) => `Part.${part} = ${stand}(() => load().then((found) => ({ default: found.default.${part} })), ${JSON.stringify(part)})`),
      'export default Part',
      ...(stand === 'filterHead' ? [`export { flattenKeys } from ${JSON.stringify(runtime)}`] : []),
    ].join('\n')
  },
})

/** Zod carries a JSON schema generator in every type; only the server writes schemas. */
export const zodWithoutJsonSchema = (): Plugin => ({
  name: 'huodao-zod-without-json-schema',
  apply: 'build',
  transform(code, id) {
    if (!/zod\/v4\/classic\/schemas\.js$/.test(id)) return null
    const out = code
      .replace(/inst\._zod\.processJSONSchema = [^\n]*;/g, '')
      .replace(
        /import \{ createStandardJSONSchemaMethod, createToJSONSchemaMethod \} from "[^"]+";/,
        'const createToJSONSchemaMethod = () => undefined; const createStandardJSONSchemaMethod = createToJSONSchemaMethod;',
      )
    if (out.includes('processJSONSchema =') || out.includes('to-json-schema')) this.warn('zod has changed: its JSON schema generator is in the build again')
    return { code: out, map: null }
  },
})
