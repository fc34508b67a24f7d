import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { DictionaryRow, settings } from '../contract.ts'

/** Codes of the interface with their words, for people who write against it or fill in spreadsheets. */
export function Dictionary() {
  const { t } = useTranslation('settings')
  const col = useCols(DictionaryRow, 'settings')
  const english = usePrefs().lang === 'en'
  return (
    <ListPage
      title={t('dictionary.title')}
      ns="settings"
      endpoint={settings.dictionary}
      rowKey="key"
      empty={{ title: t('dictionary.empty') }}
      filters={[{ key: 'keyword', label: t('dictionary.keyword'), width: 184 }, { key: 'kind' }, { key: 'area' }]}
      columns={[
        col('area', { width: 120 }),
        col('field', { width: 180 }),
        col(english ? 'fieldNameEn' : 'fieldName', { width: 160 }),
        col('value', {
          width: 200,
          render: (_, row) => (
            <>
              <span className="hd-mono">{row.value}</span> <CopyButton text={row.value} />
            </>
          ),
        }),
        col('zh', { width: 260 }),
        col('en', { width: 320 }),
        col('kind', { width: 96 }),
      ]}
      card={(row) => (
        <>
          <strong className="hd-mono">{row.value}</strong>
          <p>
            {row.zh} · {row.en}
          </p>
          <small>
            {row.area} · {english ? row.fieldNameEn : row.fieldName}
          </small>
        </>
      )}
    />
  )
}
