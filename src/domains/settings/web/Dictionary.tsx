import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { DictionaryRow, settings } from '../contract.ts'

/**
 * Codes of the interface with their words, for people who write against it or fill in spreadsheets.
 */
export function Dictionary() {
  const { t } = useTranslation('settings')
  const col = useCols(DictionaryRow, 'settings')
  const name = usePrefs().lang === 'en' ? 'fieldNameEn' : 'fieldName'
  return (
    <ListPage
      ns="settings"
      endpoint={settings.dictionary}
      rowKey="key"
      empty={{ title: t('dictionary.empty') }}
      filters={[{ key: 'keyword', label: t('dictionary.keyword') }, 'kind', 'area']}
      columns={[
        col('value', {
          fit: (value) => `${value} ${t('web:action.copy')}`,
          render: (value: string) => (
            // the button does not make its row higher
            <Flex component="span" align="center" gap={4} style={{ marginBlock: -4 }}>
              <span className="hd-mono">{value}</span> <CopyButton text={value} />
            </Flex>
          ),
        }),
        col('zh'),
        col('en'),
        col(name),
        col('field'),
        col('area'),
        col('kind'),
      ]}
      card={['zh', 'en', name, 'area']}
    />
  )
}
