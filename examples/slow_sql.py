"""A Spark SQL job with one planted illness: what do the customers of each region owe, after their discounts?

Every customer has a pattern that says for which items there is a discount. As it comes from a column, RLIKE compiles
it again for every order, and four orders of ten are of one customer: the stage that joins is slow for what one task
of it does over and over. A profile must show that stage, that task, and java.util.regex.Pattern.compile.

Usage: spark-submit slow_sql.py [ORDERS]. Prints what each region owes.
"""

import sys

from pyspark.sql import SparkSession

ORDERS = """
SELECT id,
       if(id % 10 < 4, 7, pmod(hash(id), 2000))                                       AS customer,
       concat('sku-', pmod(hash(id, 'item'), 10000), if(id % 3 = 0, '-sale', '-new')) AS item,
       pmod(hash(id, 'price'), 10000)                                                 AS cents
FROM range({orders})
"""

CUSTOMERS = """
SELECT id                             AS customer,
       concat('region-', pmod(id, 4)) AS region,
       concat('sku-(', id, '|', array_join(transform(sequence(1, 12), n -> pmod(hash(id, n), 10000)), '|'),
              ')[0-9]*-(sale|special|last[0-9]+)$') AS discounted
FROM range(2000)
"""

OWED = """
SELECT region, count(*) AS orders, sum(if(item RLIKE discounted, cents * 0.8, cents)) / 100 AS owed
FROM orders JOIN customers USING (customer)
GROUP BY region
ORDER BY region
"""

SETTINGS = {
    "spark.sql.shuffle.partitions": 8,
    # What Spark would do to larger tables: these two would fit into one task.
    "spark.sql.autoBroadcastJoinThreshold": -1,
    "spark.sql.adaptive.coalescePartitions.enabled": False,
}


def main():
    orders = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000_000
    spark = SparkSession.builder.appName("slow SQL").getOrCreate()
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    spark.sql(ORDERS.format(orders=orders)).createOrReplaceTempView("orders")
    spark.sql(CUSTOMERS).createOrReplaceTempView("customers")
    for row in spark.sql(OWED).collect():
        print(f"{row.region}: {row.orders:,} orders, {row.owed:,.2f} owed")
    spark.stop()


if __name__ == "__main__":
    main()
