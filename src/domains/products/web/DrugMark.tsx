import { useTranslation } from 'react-i18next'
import { registerLocale } from '../../../web/i18n.ts'
import { buyer } from '../buyerLocale.ts'
import type { DrugClass } from '../rules.ts'
import styles from './DrugMark.module.css'

// pages of other domains show the mark without having loaded these texts
registerLocale('products', buyer)

/**
 * The national OTC mark: red for class A, green for class B; prescription drugs carry none, goods
 * carry nothing.
 */
export function DrugMark({ drugClass, word = false }: { drugClass: DrugClass; word?: boolean }) {
  const { t } = useTranslation('products')
  const text = t(`enums.drugShort.${drugClass}`)
  if (drugClass === 'NONE') return word ? <span className="hd-none">{text}</span> : null
  const oval =
    drugClass === 'RX' ? (
      <b className={styles.rx} aria-hidden={word}>
        Rx
      </b>
    ) : (
      <b className={drugClass === 'OTC_A' ? styles.otcA : styles.otcB} aria-hidden={word}>
        OTC
      </b>
    )
  return (
    <span className={styles.drug} title={word ? undefined : text}>
      {oval}
      {word ? t(`enums.drugClass.${drugClass}`) : null}
    </span>
  )
}
