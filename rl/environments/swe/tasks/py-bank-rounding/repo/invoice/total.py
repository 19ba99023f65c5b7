from .money import cents


def total(lines):
    """Sums of lines: {"quantity", "price", "rate", "discount"?}; rate and discount in percent."""
    net = tax = 0
    for line in lines:
        amount = cents(float(line["quantity"]) * float(line["price"]))
        amount -= amount * float(line.get("discount", 0)) / 100
        net += amount
        tax += cents(amount * float(line["rate"]) / 100)
    return {"net": net, "tax": tax, "gross": net + tax}
