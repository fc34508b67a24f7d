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
  index: { modal: overlay, drawer: overlay, dropdown: popup, popover: popup, select: field, cascader: field, 'tree-select': field, 'date-picker': dates, tooltip: { stand: 'hint' }, 'input-number': inPlace },
  'input/index': { 'input/OTP': inPlace, 'input/Search': inPlace, 'input/Password': inPlace, 'input/TextArea': inPlace },
  'pagination/Pagination': { select: field },
  'table/InternalTable': { spin: { stand: 'whenSpinning' } },
  'table/hooks/useSelection': { dropdown: popup, radio: inPlace },
  'table/hooks/useSorter': { tooltip: { stand: 'hint' } },
  'table/hooks/useFilter/index': { 'table/hooks/useFilter/FilterDropdown': { stand: 'filterHead' } },
}

const prefix = '\0huodao-deferred:'
const runtime = fileURLToPath(new URL('../../web/deferred.tsx', import.meta.url))
const antd = fileURLToPath(new URL('../../../node_modules/antd/es/', import.meta.url))
const form = fileURLToPath(new URL('../../../node_modules/@rc-component/form/es/FormContext.js', import.meta.url))

const fileOf = (target: string): string => `${antd}${target}${/[A-Z]/.test(posix.basename(target)) ? '' : '/index'}.js`

/**
 * The first view of a list needs a fraction of antd: what opens on demand loads on demand, without a word of it in the pages,
 * which import from 'antd' as everywhere. Only in the build; development runs the whole of antd.
 */
export const deferredAntd = (): Plugin => ({
  name: 'huodao-deferred-antd',
  apply: 'build',
  enforce: 'pre',
  resolveId(source, importer) {
    const from = importer?.startsWith(antd) ? importer.slice(antd.length).replace(/\.js$/, '') : null
    if (from === null) return null
    // The provider alone, not the whole form with its validator.
    if (from === 'form/context' && source === '@rc-component/form') return form
    if (!source.startsWith('.')) return null
    const target = posix.join(posix.dirname(from), source)
    const rule = rules[from]?.[target]
    return rule ? `${prefix}${from}|${target}` : null
  },
  load(id) {
    if (!id.startsWith(prefix)) return null
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
      .replace(/import \{ createStandardJSONSchemaMethod, createToJSONSchemaMethod \} from "[^"]+";/, 'const createToJSONSchemaMethod = () => undefined; const createStandardJSONSchemaMethod = createToJSONSchemaMethod;')
    if (out.includes('processJSONSchema =') || out.includes('to-json-schema')) this.warn('zod has changed: its JSON schema generator is in the build again')
    return { code: out, map: null }
  },
})
